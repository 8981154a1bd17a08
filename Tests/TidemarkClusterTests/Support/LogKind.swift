import Foundation
import TidemarkCluster

#if NATS
  import TidemarkClusterNATS
#endif

/// The implementations that the conformance tests run against.
enum LogKind: String, CaseIterable, Sendable, CustomStringConvertible {
  case inProcess = "in-process log"
  case faulty = "in-process log with faults"
  case etcd = "etcd"
  case etcdTLS = "etcd with TLS"

  #if NATS
    case nats = "NATS"
  #endif

  var description: String { rawValue }

  /// All implementations; etcd only if a server is installed, with TLS only if there can be certificates.
  static let available = allCases.filter { kind in
    switch kind {
    case .inProcess, .faulty: true
    case .etcd: EtcdServer.isInstalled
    case .etcdTLS: EtcdServer.isInstalled && TestCertificates.isAvailable
    #if NATS
      case .nats: NATSServer.isInstalled
    #endif
    }
  }

  /// Creates an empty log, and returns a function that makes clients of it.
  func makeLog(seed: UInt64 = 1) async throws -> LogClients {
    switch self {
    case .inProcess:
      let log = InProcessLog()
      return LogClients { _ in log.client() }
    case .faulty:
      var faults = InProcessLogFaults.all(0.15)
      faults.delay = .milliseconds(2)
      let log = InProcessLog(seed: seed)
      return LogClients { [faults] number in log.client(faults: faults, seed: seed &* 1_000 &+ UInt64(number)) }
    case .etcd:
      let endpoint = try await SharedEtcd.shared.endpoint()
      let prefix = "\(UUID().uuidString)/"
      return LogClients { _ in
        var configuration = EtcdConfiguration(endpoints: [endpoint])
        configuration.keyPrefix = prefix
        return EtcdLog(configuration)
      }
    case .etcdTLS:
      let endpoint = try await SharedEtcd.shared.secureEndpoint()
      let tls = try TestCertificates.shared.get().tls(as: .client)
      let prefix = "\(UUID().uuidString)/"
      return LogClients { _ in
        var configuration = EtcdConfiguration(endpoints: [endpoint])
        configuration.keyPrefix = prefix
        configuration.tls = tls
        return EtcdLog(configuration)
      }
    #if NATS
      case .nats:
        let server = try await SharedNATS.shared.url()
        let stream = UUID().uuidString
        return LogClients { _ in
          var configuration = NATSConfiguration(servers: [server], stream: stream)
          configuration.allowTestServers()
          return NATSLog(configuration)
        }
    #endif
    }
  }
}

/// Makes the clients of one log.
struct LogClients: Sendable {
  private let make: @Sendable (Int) -> any ReplicatedLog

  init(_ make: @escaping @Sendable (Int) -> any ReplicatedLog) { self.make = make }

  func client(_ number: Int = 0) -> any ReplicatedLog { make(number) }
}

extension ContinuousClock.Instant {
  /// Late enough for every operation of a test that succeeds.
  static var soon: Self { .now + .seconds(30) }
}

extension ReplicatedLog {
  /// Appends an entry, and appends it again until its outcome is decided.
  func appendUntilDecided(_ entry: LogEntry) async throws -> AppendResult {
    while true {
      do {
        let result = try await append(entry, until: .soon)
        if result != .unknown { return result }
      } catch LogError.unavailable {
        // No server was reached yet.
      }
      try Task.checkCancellation()
    }
  }

  /// Appends entries with the given payloads, which must not meet other appends.
  @discardableResult
  func appendAll(_ payloads: some Sequence<UInt8>, after position: LogPosition = .start) async throws -> [LogEntry] {
    var entries: [LogEntry] = []
    for payload in payloads {
      let entry = LogEntry(after: entries.last?.position ?? position, payload: [payload])
      guard try await appendUntilDecided(entry) == .appended(entry.position) else { throw UnexpectedResult() }
      entries.append(entry)
    }
    return entries
  }

  /// The next entries after a position.
  func next(_ count: Int, after position: LogPosition) async throws -> [LogEntry] {
    var received: [LogEntry] = []
    for try await entry in entries(after: position) {
      received.append(entry)
      if received.count == count { break }
    }
    return received
  }
}

struct UnexpectedResult: Error {}

/// Repeats an operation while the log is unavailable, as it is after a simulated fault.
func retrying<Value>(_ body: () async throws -> Value) async throws -> Value {
  while true {
    do { return try await body() } catch LogError.unavailable {}
    try Task.checkCancellation()
  }
}
