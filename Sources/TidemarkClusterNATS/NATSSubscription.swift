#if NATS
  import CNATS

  /// A message that a server has delivered.
  struct NATSMessage: Sendable {
    var subject: String
    var data: [UInt8]

    /// Whether the server itself says that nothing receives messages of the requested subject.
    var isNoResponders: Bool
  }

  extension NATSMessage {
    fileprivate init(_ message: OpaquePointer) {
      let count = Int(natsMsg_GetDataLength(message))
      subject = natsMsg_GetSubject(message).map { String(cString: $0) } ?? ""
      data = natsMsg_GetData(message).map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
      isNoResponders = natsMsg_IsNoResponders(message)
    }
  }

  /// The interest of a connection in the messages of a subject. It ends when the object is released.
  final class NATSSubscription: @unchecked Sendable {
    // The pointer does not change after the initializer.
    private var subscription: OpaquePointer?

    // The connection must not be released before its subscriptions.
    private let handle: NATSHandle

    /// The receiver of messages, which the C client calls on one of its threads.
    private final class Handler: Sendable {
      let received: @Sendable (NATSMessage) -> Void

      init(_ received: @escaping @Sendable (NATSMessage) -> Void) { self.received = received }
    }

    /// Begins to receive messages.
    ///
    /// - Parameters:
    ///   - subject: The subject to which messages are sent. Messages of a stream that are sent to it keep their own.
    ///   - received: Receives each message.
    init(
      _ handle: NATSHandle, to subject: String, received: @escaping @Sendable (NATSMessage) -> Void
    ) throws(NATSFailure) {
      self.handle = handle
      let handler = Unmanaged.passRetained(Handler(received))
      let status = natsConnection_Subscribe(
        &subscription, handle.connection, subject,
        { _, _, message, pointer in
          defer { natsMsg_Destroy(message) }
          guard let pointer, let message else { return }
          Unmanaged<Handler>.fromOpaque(pointer).takeUnretainedValue().received(NATSMessage(message))
        }, handler.toOpaque())
      guard status == NATS_OK else {
        handler.release()
        throw .notSent(NATSHandle.text(status))
      }
      // The handler is released when no more messages follow.
      natsSubscription_SetOnCompleteCB(
        subscription, { pointer in pointer.map { Unmanaged<Handler>.fromOpaque($0).release() } }, handler.toOpaque())
      natsSubscription_SetPendingLimits(subscription, -1, -1)
    }

    deinit { natsSubscription_Destroy(subscription) }
  }
#endif
