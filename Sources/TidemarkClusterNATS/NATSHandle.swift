#if NATS
  import CNATS
  import Foundation
  import TidemarkCluster

  /// A connection of the C client. It does not connect again after it was lost.
  ///
  /// Each method calls one function of the C client. Connecting and publishing block the thread.
  final class NATSHandle: @unchecked Sendable {
    // The C client allows calls on any thread at the same time. The pointer does not change.
    let connection: OpaquePointer

    /// The receiver of an event, which the C client calls on one of its threads.
    private final class ClosedHandler: Sendable {
      let closed: @Sendable () -> Void

      init(_ closed: @escaping @Sendable () -> Void) { self.closed = closed }
    }

    /// Connects to a server.
    ///
    /// - Parameter closed: Is called once, after the connection was lost or closed.
    init(
      to server: URL, _ configuration: NATSConfiguration, closed: @escaping @Sendable () -> Void
    ) throws(NATSFailure) {
      let info = try Self.info(of: server)
      if let objection = info.objection(configuration) { throw .rejected("\(server): \(objection)") }
      let options = try Self.makeOptions(for: server, configuration)
      defer { natsOptions_Destroy(options) }

      let handler = Unmanaged.passRetained(ClosedHandler(closed))
      natsOptions_SetClosedCB(
        options,
        { _, pointer in pointer.map { Unmanaged<ClosedHandler>.fromOpaque($0).takeRetainedValue().closed() } },
        handler.toOpaque())
      var connection: OpaquePointer?
      let status = natsConnection_Connect(&connection, options)
      guard status == NATS_OK, let connection else {
        // The handler is not called without a connection.
        handler.release()
        throw Self.failure(status, at: server)
      }
      self.connection = connection
      // From here on, the deinitializer closes the connection.
      var id = [CChar](repeating: 0, count: 128)
      natsConnection_GetConnectedServerId(connection, &id, id.count)
      guard id.prefix(while: { $0 != 0 }).elementsEqual(info.server_id.utf8CString.dropLast()) else {
        throw .notSent("\(server) leads to several servers: \(info.server_id) and another one")
      }
    }

    deinit { natsConnection_Destroy(connection) }

    /// Closes the connection.
    func close() { natsConnection_Close(connection) }

    /// Sends a message.
    ///
    /// - Parameter reply: The subject of the response.
    func publish(
      _ subject: String, reply: String, headers: [(String, String)], _ body: [UInt8]
    ) throws(NATSFailure) {
      var message: OpaquePointer?
      let created = body.withUnsafeBytes { bytes in
        natsMsg_Create(
          &message, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
      }
      defer { natsMsg_Destroy(message) }
      for (name, value) in headers where created == NATS_OK { natsMsgHeader_Set(message, name, value) }
      let status = created == NATS_OK ? natsConnection_PublishMsg(connection, message) : created
      switch status {
      case NATS_OK: return
      case NATS_MAX_PAYLOAD: throw .rejected("the server allows no message of \(body.count) bytes")
      case NATS_CONNECTION_CLOSED, NATS_NO_MEMORY: throw .notSent(Self.text(status))
      default: throw .lost(Self.text(status))
      }
    }

    // MARK: - Connecting

    /// Reads the first line of a server, without the C client, which does not report the version.
    private static func info(of server: URL) throws(NATSFailure) -> NATSServerInfo {
      guard let socket = ClientSocket(host: ClientSocket.host(of: server), port: server.port ?? 4222) else {
        throw .notSent("could not connect to \(server)")
      }
      defer { socket.close() }
      var line: [UInt8] = []
      while !line.contains(UInt8(ascii: "\n")) {
        guard let bytes = socket.read(), !bytes.isEmpty, line.count < 1 << 20 else {
          throw .notSent("\(server) has not introduced itself as a NATS server")
        }
        line += bytes
      }
      let text = line.prefix { $0 != UInt8(ascii: "\n") }.drop { $0 != UInt8(ascii: "{") }
      do { return try JSONDecoder().decode(NATSServerInfo.self, from: Data(text)) } catch {
        throw .notSent("\(server) has not introduced itself as a NATS server")
      }
    }

    private static func makeOptions(
      for server: URL, _ configuration: NATSConfiguration
    ) throws(NATSFailure) -> OpaquePointer? {
      var options: OpaquePointer?
      guard natsOptions_Create(&options) == NATS_OK else { throw .notSent("the NATS client has no memory") }
      let timeout = Int64(configuration.requestTimeout / .milliseconds(1))
      var settings: [() -> natsStatus] = [
        { natsOptions_SetURL(options, server.absoluteString) },
        { natsOptions_SetAllowReconnect(options, false) },
        { natsOptions_SetSendAsap(options, true) },
        { natsOptions_SetTimeout(options, timeout) },
        { natsOptions_SetWriteDeadline(options, timeout) },
        { natsOptions_SetSecure(options, server.scheme == "tls") },
      ]
      switch configuration.credentials {
      case .password(let user, let password)?:
        settings.append { natsOptions_SetUserInfo(options, user, password) }
      case .file(let file)?:
        settings.append { natsOptions_SetUserCredentialsFromFiles(options, file.path, nil) }
      case nil: break
      }
      // If a server requires TLS, the C client uses it with any scheme.
      let tls = configuration.tls
      settings.append { natsOptions_SetExpectedHostname(options, tls.serverName ?? ClientSocket.host(of: server)) }
      if let file = tls.authorities {
        settings.append { natsOptions_LoadCATrustedCertificates(options, file.path) }
      }
      if let identity = tls.identity {
        settings.append {
          natsOptions_LoadCertificatesChain(options, identity.certificateChain.path, identity.privateKey.path)
        }
      }
      for setting in settings {
        let status = setting()
        if status != NATS_OK {
          let reason = text(status)
          natsOptions_Destroy(options)
          throw .rejected("\(server): \(reason)")
        }
      }
      return options
    }

    private static func failure(_ status: natsStatus, at server: URL) -> NATSFailure {
      let message = "\(server): \(text(status))"
      switch status {
      case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: return .rejected(message)
      case NATS_SSL_ERROR, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED: return .insecure(message)
      default: return .notSent(message)
      }
    }

    /// The reason of the last failure of this thread, or the name of a status.
    static func text(_ status: natsStatus) -> String {
      let name = natsStatus_GetText(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
      guard let reason = nats_GetLastError(nil).map({ String(cString: $0) }), !reason.isEmpty else { return name }
      return "\(name): \(reason)"
    }
  }
#endif
