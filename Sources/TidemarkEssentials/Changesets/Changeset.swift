// Changesets: changes of rows as a value, which can be combined, inverted, filtered, stored and applied.
//
//     Database.recordingChanges ─┐                ┌─► net, inverted, combined, filter
//     TransactionChanges ────────┼──► Changeset ──┼─► encoded, SQLite's format
//     two databases ─────────────┘                └─► Database.apply ──► ChangesetApplication
//
// Invariants:
// 1. A changeset is complete: it contains each change of what it was made from. If a change is unknown, the initializer
//    or the recording throws an error that says why, and a recording leaves the database unchanged.
// 2. Applied to the state before, a changeset gives the state after: the rows of all tables, row IDs included, counters
//    and `user_version`. The inverse gives the state before, except for counters whose former values are unknown.
// 3. `net` has at most one change for each identity of a row between two schema changes, and leads to the same state.
//    Rows are identified as in `ChangedRow`: a row whose identity changes is a deletion and an insertion.
// 4. Applying is atomic, and executes each change or asks about it: no change is left out silently.
//
// What can go wrong, and what happens:
//
//     changes are unknown (virtual tables, blobs, too many rows, C functions)    ChangesetError, nothing is changed
//     the schema is another one: no such table, no such column, no key           ChangesetError, nothing is changed
//     the rows are not as they were                                              ChangesetConflict, or it is resolved
//     a foreign key is violated at the end                                       ChangesetConflict, or it is accepted
//     SQLite fails, the access is cancelled                                      its error, nothing is changed

/// Changes of rows, in an order in which they can be applied.
///
/// Record a changeset, then apply it to another database, or apply its inverse to undo the changes:
///
/// ```swift
/// let changes = try dbQueue.write { db in
///   try db.recordingChanges {
///     try Player(id: 1, name: "Arthur", score: 30).insert(db)
///   }
/// }
/// try destination.write { db in
///   _ = try db.apply(changes)
/// }
/// ```
///
/// A changeset can also be made from the transactions of a ``ChangeStream``, from the difference of two databases, or
/// from bytes: see ``encoded()`` and ``sqliteChangesetData()``.
///
/// Besides rows, a changeset may contain counters of `AUTOINCREMENT`, `PRAGMA user_version`, and the SQL of schema
/// changes.
public struct Changeset: Sendable, Hashable {
  /// One change: a row, a counter, a `user_version`, or a schema change. No element stands for unknown rows,
  /// or is a notification.
  public typealias Element = TransactionChanges.Element

  /// The changes, in the order in which they are applied.
  public let elements: [Element]

  /// The values of counters and of `user_version` before the changes, as far as they are known.
  let formerNumbers: [Element]

  /// A changeset without changes.
  public init() { (elements, formerNumbers) = ([], []) }

  /// Creates a changeset from changes.
  ///
  /// ```swift
  /// func changeset(of transaction: TransactionChanges) throws -> Changeset {
  ///   try Changeset(transaction.elements)
  /// }
  /// ```
  ///
  /// - Parameter elements: The changes, in the order of their execution. Notifications are left out.
  /// - Throws: A ``ChangesetError`` if an element stands for unknown rows.
  public init(_ elements: [Element]) throws {
    try self.init(elements, formerNumbers: [])
  }

  init(_ elements: [Element], formerNumbers: [Element]) throws(ChangesetError) {
    for element in elements {
      if case .unknownRows(let databaseName, let tableName) = element {
        throw ChangesetError(unknownRowsOf: TableKey(tableName, in: databaseName))
      }
    }
    self.init(known: elements.filter { !$0.isNotification }, formerNumbers: formerNumbers)
  }

  /// - Parameter elements: Changes that are known to be complete.
  init(known elements: [Element], formerNumbers: [Element] = []) {
    (self.elements, self.formerNumbers) = (elements, formerNumbers)
  }

  /// Creates a changeset from transactions.
  ///
  /// ```swift
  /// func changeset(of transactions: [TransactionChanges]) throws -> Changeset {
  ///   try Changeset(transactions).net
  /// }
  /// ```
  ///
  /// The values of counters before the transactions are unknown: see ``inverted()``.
  ///
  /// - Parameter transactions: The transactions, in their order.
  /// - Throws: A ``ChangesetError`` if a transaction is incomplete.
  public init(_ transactions: some Sequence<TransactionChanges>) throws {
    var elements: [Element] = []
    for transaction in transactions {
      if case .incomplete(let reason) = transaction.completeness {
        throw ChangesetError(incomplete: reason, transaction)
      }
      elements += transaction.elements
    }
    try self.init(elements)
  }

  /// Whether the changeset contains nothing.
  public var isEmpty: Bool { elements.isEmpty }

  /// The changed rows, in the order of the changes.
  public var rows: [ChangedRow] {
    elements.compactMap { if case .row(let row) = $0 { row } else { nil } }
  }

  /// Whether there are schema changes.
  public var hasSchemaChanges: Bool {
    elements.contains { if case .schema = $0 { true } else { false } }
  }
}

extension Changeset: CustomStringConvertible {
  /// The changes, one on each line.
  public var description: String { elements.map(\.description).joined(separator: "\n") }
}

/// The reason why a changeset cannot be made, inverted or applied. Nothing was changed.
public struct ChangesetError: Error, Hashable, CustomStringConvertible {
  /// The kind of the reason.
  public enum Reason: Sendable, Hashable {
    /// The changes of a transaction, or of a recording, are not known.
    case incomplete(TransactionChanges.Reason)

    /// The transaction in which changes were recorded has ended before the recording.
    case transactionEnded

    /// The schema changes of a changeset cannot be inverted, exported, or applied without permission.
    case schemaChange

    /// The tables of the changeset do not match the tables of the database.
    case schemaMismatch

    /// SQLite's format cannot represent the changes.
    case unrepresentable

    /// The connection is in a state in which changesets cannot be applied.
    case connectionState
  }

  /// The kind of the reason.
  public let reason: Reason

  /// The expected and the actual state, and the solution.
  public let message: String

  /// The message.
  public var description: String { message }

  init(_ reason: Reason, _ message: String) { (self.reason, self.message) = (reason, message) }

  init(unknownRowsOf table: TableKey, because reason: TransactionChanges.Reason = .notReported) {
    let cause =
      reason == .tooManyRows
      ? "the transaction changes more rows than are recorded: change fewer rows at once"
      : """
      SQLite reports no rows of virtual tables, of incremental blob writes, and of changes without the library; nor \
      how it stores doubles without a fraction in columns beside REAL columns and virtual generated ones
      """
    self.init(.incomplete(reason), "unknown rows of table \(table): \(cause)")
  }

  init(invalidTextIn tableName: String) {
    self.init(
      .incomplete(.notReported),
      "a row of table \(tableName) contains a text that is not UTF-8, which would be changed: store a blob instead")
  }

  fileprivate init(incomplete reason: TransactionChanges.Reason, _ transaction: TransactionChanges) {
    let name = transaction.version.map { "the transaction of version \($0)" } ?? "a transaction"
    self.init(.incomplete(reason), "\(name) is incomplete (\(reason)): a changeset requires all changes")
  }
}
