import Foundation
import StressSupport
import Tidemark

/// A copy of the database that follows a change stream or the change feed.
///
/// After each transaction, its changes are applied to the copy, which must then equal the database. A sentinel, written
/// after the transaction, is the last change to wait for.
final class ShapeFollower {
  enum Source: String {
    case stream, feed
  }

  let source: Source
  private let fault: ShapeFault?
  private let replica: ChangeReplica
  private let received = Mutex<[TransactionChanges]>([])
  private let failure = Mutex<(any Error)?>(nil)
  private var task: Task<Void, Never>?
  private var sentinel = 0

  init(_ source: Source, of database: any DatabaseWriter, fault: ShapeFault? = nil) throws {
    (self.source, self.fault) = (source, fault)
    let configuration = ShapeSite(path: "", encoding: "UTF-8").configuration
    replica = try ChangeReplica(comparing: source == .feed ? ["main"] : ["main", "temp", "Aux"], configuration)
    switch source {
    case .stream:
      let changes = try database.changes(limits: ChangeStream.Limits(rowCount: 100_000))
      follow { [received] in for try await changes in changes { received.withLock { $0.append(changes) } } }
    case .feed:
      let token = try database.read { try $0.changeToken() }
      follow { [received] in
        for try await entry in try await database.changes(after: token) {
          received.withLock { $0.append(entry.changes) }
        }
      }
    }
    try replica.copy(database)
  }

  deinit { task?.cancel() }

  private func follow(_ body: @escaping @Sendable () async throws -> Void) {
    task = Task { [failure] in
      do {
        try await body()
      } catch {
        failure.withLock { $0 = error }
      }
    }
  }

  /// Creates the table of the sentinel.
  static func prepare(_ database: any DatabaseWriter) throws {
    try database.write { try $0.execute(sql: "CREATE TABLE sentinel (number INTEGER PRIMARY KEY)") }
  }

  /// The effect of a transaction on the copy.
  struct Outcome {
    /// The number of changes that were applied; nil if some were unknown.
    var changeCount: Int?

    /// Why the copy does not equal the database.
    var problem: String?
  }

  /// Applies the changes since the last call, and compares the copy with the database.
  ///
  /// - Parameters:
  ///   - fetchCount: The number of other fetches after which changes are missing, and not late.
  ///   - isExternal: Whether another connection has made the changes.
  func follow(_ shapeDatabase: ShapeDatabase, fetchCount: Int, isExternal: Bool) throws -> Outcome {
    let database = shapeDatabase.database
    sentinel += 1
    let number = Int64(sentinel)
    try database.write { try $0.execute(sql: "REPLACE INTO sentinel VALUES (?)", arguments: [number]) }
    let isReceived = try wait(forSentinel: number, shapeDatabase, fetchCount: fetchCount)
    let transactions = take()
    if !isReceived {
      return Outcome(problem: "the \(source) does not deliver the sentinel \(number), but:\n\(Self.list(transactions))")
    }
    if let failure = failure.withLock({ $0 }) { return Outcome(problem: "the \(source) has ended: \(failure)") }
    var count = 0
    for transaction in transactions {
      if !Self.isComplete(transaction) {
        try replica.copy(database)
        return Outcome()
      }
      let elements = transaction.elements.filter { !Self.isSentinel($0) }
      count += elements.count
      do {
        let omits = fault == .omittedChange && !elements.isEmpty
        try replica.apply(omits ? Array(elements.dropFirst()) : transaction.elements)
      } catch {
        try replica.copy(database)
        return Outcome(problem: "the \(source): \(error)\n\(Self.list(transactions))")
      }
    }
    let differences = try replica.differences(from: database)
    if differences.isEmpty { return Outcome(changeCount: count) }
    let isLate = try isExternal && waitForUnknownChanges(shapeDatabase, fetchCount: fetchCount)
    try replica.copy(database)
    if isLate { return Outcome() }
    let list = differences.prefix(5).joined(separator: "\n")
    return Outcome(changeCount: count, problem: "the copy of the \(source):\n\(list)\n\(Self.list(transactions))")
  }

  /// Waits until the sentinel is received, or an element that may include it.
  ///
  /// - Returns: Whether it was received, or the changes have ended.
  private func wait(forSentinel number: Int64, _ database: ShapeDatabase, fetchCount: Int) throws -> Bool {
    let version = try database.database.databaseVersion()
    return try database.waits(fetchCount: fetchCount) {
      if failure.withLock({ $0 != nil }) { return true }
      // Commits in attached files may be detected after it.
      return received.withLock { $0.contains { mayIncludeSentinel(number, $0, version) } }
    }
  }

  /// Waits until unknown changes are received. Commits in attached files are detected independently of those in the
  /// main file.
  private func waitForUnknownChanges(_ database: ShapeDatabase, fetchCount: Int) throws -> Bool {
    try database.waits(fetchCount: fetchCount) {
      received.withLock { $0.contains { !Self.isComplete($0) } }
    }
  }

  private func mayIncludeSentinel(
    _ number: Int64, _ transaction: TransactionChanges, _ version: DatabaseVersion?
  ) -> Bool {
    transaction.elements.contains { Self.isSentinel($0, number) }
      || !Self.isComplete(transaction) && transaction.version == version
  }

  private func take() -> [TransactionChanges] {
    received.withLock { received in
      defer { received = [] }
      return received
    }
  }

  private static func isSentinel(_ element: TransactionChanges.Element, _ number: Int64? = nil) -> Bool {
    guard case .row(let row) = element, row.table.name == "sentinel" else { return false }
    return number == nil || row.newIdentity == .rowID(number ?? 0)
  }

  /// Whether the rows of all tables are known. The shadow tables contain the rows of virtual tables.
  private static func isComplete(_ transaction: TransactionChanges) -> Bool {
    if transaction.isComplete { return true }
    guard transaction.completeness == .incomplete(.notReported) else { return false }
    return transaction.elements.allSatisfy { element in
      if case .unknownRows(_, let name) = element { ShapeSchema.virtualTableNames.contains(name) } else { true }
    }
  }

  private static func list(_ transactions: [TransactionChanges]) -> String {
    transactions.map(\.description).joined(separator: "\n")
  }
}
