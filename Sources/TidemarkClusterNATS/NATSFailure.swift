#if NATS
  import TidemarkCluster

  /// The failure of a request to one server, and its consequence for the client.
  enum NATSFailure: Error, Equatable {
    /// The server was not reached. The request has no effect.
    case notSent(String)

    /// The request may have been executed, and may be executed later.
    case lost(String)

    /// No secure connection was possible. The certificate of another server may be a different one.
    case insecure(String)

    /// The server has refused the request, which has no effect. Another server would refuse it, too.
    case rejected(String)

    /// The reason, for people.
    var message: String {
      switch self {
      case .notSent(let message), .lost(let message), .insecure(let message), .rejected(let message): message
      }
    }

    /// The same failure of a request that changes nothing: it cannot arrive too late.
    var ofRead: NATSFailure {
      if case .lost(let message) = self { return .notSent(message) }
      return self
    }
  }

  /// The description of a server, which it sends as soon as a client has connected.
  struct NATSServerInfo: Decodable, Equatable {
    var server_id: String
    var version: String
    var headers: Bool?
    var jetstream: Bool?

    /// Why the client does not use this server; nil if it does.
    ///
    /// A server says nothing about when it syncs its files, so the operator has to. Before version 2.10, no server
    /// could sync before it acknowledges.
    func objection(_ configuration: NATSConfiguration) -> String? {
      if headers != true { return "NATS \(version) does not support headers: version 2.9 or later is required" }
      if configuration.allowsUnsyncedServers { return nil }
      let canSync = Self.isAtLeast(2, 10, version)
      if canSync, configuration.serversSyncAlways { return nil }
      let advice =
        canSync
        ? "set sync_interval: always on all servers, and serversSyncAlways in the configuration of the nodes"
        : "use version 2.10 or later with sync_interval: always"
      return "NATS \(version) acknowledges entries before they are on its disk: \(advice)."
        + " allowsUnsyncedServers accepts that a power failure loses entries"
    }

    private static func isAtLeast(_ major: Int, _ minor: Int, _ version: String) -> Bool {
      let numbers = version.split(separator: ".").prefix(2).map { Int($0) ?? 0 }
      return numbers.count == 2 && (numbers[0], numbers[1]) >= (major, minor)
    }
  }
#endif
