import Foundation

/// A log in a cluster of etcd servers, version 3.4 or later.
///
/// It uses the HTTP/JSON gateway of etcd. etcd syncs each entry to the disks of a majority of its servers before it
/// acknowledges the entry. All requests are linearizable.
///
/// Endpoints with the scheme `https` are used with TLS. The library of OpenSSL must then be installed. If the client
/// accepts none of the servers, or they do not accept the client, all operations throw ``LogError/rejected(_:)``.
///
/// ```swift
/// var configuration = EtcdConfiguration(endpoints: endpoints)
/// configuration.credentials = .init(user: "tidemark", password: password)
/// configuration.tls.authorities = URL(fileURLWithPath: "/etc/tidemark/ca.pem")
/// let log = EtcdLog(configuration)
/// let database = try await ClusterDatabase.open(path, log: log, ClusterConfiguration(node: "berlin"))
/// ```
///
/// A client repeats requests, on all servers in turn, until the deadline of the operation. Without a quorum, appends
/// are ``AppendResult/unknown``, and barriers throw ``LogError/unavailable(_:)``.
public struct EtcdLog: ReplicatedLog {
  private let connection: EtcdConnection
  private let keys: EtcdKeys

  /// Creates a client. It connects when it is used.
  ///
  /// - Parameter configuration: The servers, and how to use them.
  public init(_ configuration: EtcdConfiguration) {
    connection = EtcdConnection(configuration)
    keys = EtcdKeys(prefix: configuration.keyPrefix)
  }

  private var configuration: EtcdConfiguration { connection.configuration }

  /// The limits of the configuration.
  public var limits: LogLimits { configuration.limits }

  /// Appends an entry with one transaction of etcd: see ``ReplicatedLog/append(_:until:)``.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - deadline: When the method returns at the latest.
  /// - Returns: Whether the entry is in the log.
  /// - Throws: ``LogError``, or `CancellationError`: nothing was stored by this call.
  public func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult {
    try limits.check(entry)
    let outcome: EtcdConnection.Outcome<EtcdMessage.TransactionResponse> = await connection.call(
      "kv/txn", EtcdTransactions.append(entry, keys: keys), until: deadline)
    switch outcome {
    case .response(let response): return try EtcdTransactions.result(of: entry, response)
    case .failed(_, mayHaveArrived: true): return .unknown
    case .failed(let error, mayHaveArrived: false): throw error
    }
  }

  /// Returns the entries after a position, and then each new one, which a watch of etcd reports: see
  /// ``ReplicatedLog/entries(after:)``.
  ///
  /// - Parameter position: The position of an entry, or ``LogPosition/start``.
  /// - Returns: The stream.
  public func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error> {
    let reader = EtcdReader(connection: connection, keys: keys)
    return LogFollower(after: position) { try await reader.entries(after: $0) }.stream
  }

  /// Returns the entry with a number. The read is linearizable: if the entry is missing, it was not in the log.
  ///
  /// It takes ``EtcdConfiguration/readTimeout`` at most.
  ///
  /// - Parameter number: The number of an entry.
  /// - Returns: The entry; nil if the log has no such entry.
  /// - Throws: ``LogError``, or `CancellationError`: see ``ReplicatedLog/entry(at:)``.
  public func entry(at number: UInt64) async throws -> LogEntry? {
    guard number > 0 else { return nil }
    let state = try await read(entriesAfter: number - 1, limit: 1, until: readDeadline)
    if number <= state.discarded.number { throw LogError.behindLog(discardedThrough: state.discarded) }
    return state.entries.first { $0.number == number }
  }

  /// Returns the position of the last entry, with a linearizable read: see ``ReplicatedLog/barrier(until:)``.
  ///
  /// - Parameter deadline: When the method returns at the latest.
  /// - Returns: The position.
  /// - Throws: ``LogError``, or `CancellationError`.
  public func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition {
    // No entry is behind the last number, so this reads positions only.
    try await read(entriesAfter: .max, limit: 1, until: deadline).last
  }

  /// Removes the entries up to a position, and compacts the history of etcd's keys: see
  /// ``ReplicatedLog/discard(through:until:)``.
  ///
  /// Compaction concerns all keys of the etcd cluster, not only keys of the log.
  ///
  /// - Parameters:
  ///   - position: The position of the last entry to remove.
  ///   - deadline: When the method returns at the latest.
  /// - Throws: ``LogError``, or `CancellationError`: the entries may have been removed or not.
  public func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws {
    while true {
      let state = try await read(entriesAfter: max(1, position.number) - 1, limit: 1, until: deadline)
      if position.number < state.discarded.number { return }
      let found =
        position.number == state.discarded.number
        ? state.discarded : state.entries.first { $0.number == position.number }?.position ?? state.last
      if found != position { throw LogError.historyDiverged(expected: position, found: found) }
      if position == state.discarded { return }
      let request = EtcdTransactions.discard(through: position, after: state.discarded, keys: keys)
      let response: EtcdMessage.TransactionResponse = try await connection.call("kv/txn", request, until: deadline)
        .get()
      // Otherwise another client has discarded entries in the meantime, or this request was executed before.
      if response.succeeded == true { return try await compact(response.header, until: deadline) }
    }
  }

  /// Removes the history of the keys in etcd, including the discarded entries.
  private func compact(_ header: EtcdMessage.Header, until deadline: ContinuousClock.Instant) async throws {
    guard let revision = header.revision else { return }
    let outcome: EtcdConnection.Outcome<EtcdMessage.CompactionResponse> = await connection.call(
      "kv/compaction", EtcdMessage.CompactionRequest(revision: revision), until: deadline)
    do { _ = try outcome.get() } catch LogError.rejected(let message) where message.contains("compacted") {
      // Another client has compacted this revision, or this request was executed before.
    }
  }

  private var readDeadline: ContinuousClock.Instant { configuration.clock.now() + configuration.readTimeout }

  private func read(
    entriesAfter number: UInt64, limit: Int, until deadline: ContinuousClock.Instant
  ) async throws -> EtcdState {
    try await EtcdState.read(connection, keys: keys, entriesAfter: number, limit: limit, until: deadline)
  }
}
