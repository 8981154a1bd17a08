import Foundation

/// The transactions of the log, and their results: values, without connections.
enum EtcdTransactions {
  /// Stores an entry if its predecessor is the last entry; otherwise reads what decides about it.
  static func append(_ entry: LogEntry, keys: EtcdKeys) -> EtcdMessage.TransactionRequest {
    let key = keys.entry(entry.number)
    return EtcdMessage.TransactionRequest(
      compare: [comparison(of: keys.last, with: entry.predecessor), .isMissing(key)],
      success: [.put(key, Data(entry.encoded)), .put(keys.last, Data(entry.position.encoded))],
      failure: [.get(key), .get(keys.last), .get(keys.discarded)])
  }

  /// The result of ``append(_:keys:)``.
  static func result(
    of entry: LogEntry, _ response: EtcdMessage.TransactionResponse
  ) throws(LogError) -> AppendResult {
    if response.succeeded == true { return .appended(entry.position) }
    let stored = try response.values(0).first
    return try LogContents.decision(
      about: entry, stored: stored.map { bytes throws(LogError) in try LogEntry(encoded: Array(bytes)) },
      last: position(response, 1), discarded: position(response, 2))
  }

  /// Reads entries in the order of their numbers, the last position, and the discarded position, at one revision.
  static func read(entriesAfter number: UInt64, limit: Int, keys: EtcdKeys) -> EtcdMessage.TransactionRequest {
    let entries = EtcdMessage.Range(key: keys.behind(number), range_end: keys.endOfEntries, limit: String(limit))
    return EtcdMessage.TransactionRequest(
      success: [EtcdMessage.Operation(request_range: entries), .get(keys.last), .get(keys.discarded)])
  }

  /// Removes the entries through a position, if the entries through another position were removed before.
  static func discard(
    through position: LogPosition, after discarded: LogPosition, keys: EtcdKeys
  ) -> EtcdMessage.TransactionRequest {
    let entries = EtcdMessage.DeleteRange(key: keys.entry(0), range_end: keys.behind(position.number))
    return EtcdMessage.TransactionRequest(
      compare: [comparison(of: keys.discarded, with: discarded)],
      success: [
        .put(keys.discarded, Data(position.encoded)), EtcdMessage.Operation(request_delete_range: entries),
      ])
  }

  private static func comparison(of key: Data, with position: LogPosition) -> EtcdMessage.Comparison {
    position == .start ? .isMissing(key) : .exists(key, withValue: Data(position.encoded))
  }

  /// A position that an operation has read; the start if its key is missing.
  static func position(
    _ response: EtcdMessage.TransactionResponse, _ index: Int
  ) throws(LogError) -> LogPosition {
    guard let bytes = try response.values(index).first else { return .start }
    return try LogPosition(encoded: bytes)
  }
}

/// A part of the log, at one revision of etcd.
struct EtcdState: Sendable {
  var entries: [LogEntry]
  var last: LogPosition
  var discarded: LogPosition
  var revision: UInt64

  init(_ response: EtcdMessage.TransactionResponse) throws(LogError) {
    guard let revision = response.header.revision.flatMap({ UInt64($0) }) else {
      throw .corrupted("etcd has returned no revision")
    }
    self.revision = revision
    entries = try response.values(0).map { bytes throws(LogError) in try LogEntry(encoded: Array(bytes)) }
    last = try EtcdTransactions.position(response, 1)
    discarded = try EtcdTransactions.position(response, 2)
  }

  /// Reads entries, linearizably.
  static func read(
    _ connection: EtcdConnection, keys: EtcdKeys, entriesAfter number: UInt64, limit: Int,
    until deadline: ContinuousClock.Instant
  ) async throws -> EtcdState {
    let request = EtcdTransactions.read(entriesAfter: number, limit: limit, keys: keys)
    return try EtcdState(try await connection.call("kv/txn", request, until: deadline).get())
  }
}
