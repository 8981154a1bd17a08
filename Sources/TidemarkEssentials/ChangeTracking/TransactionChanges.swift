public import FoundationEssentials

/// The changes of one committed transaction, in the order of their execution.
///
/// ```swift
/// func log(_ transaction: TransactionChanges) throws {
///   for change in transaction.rows where change.table.name == "player" {
///     print(change.operation, change.newValues ?? [])
///   }
///   for change in try transaction.changes(of: Player.self) {
///     print(change.operation, change.newRecord?.name ?? "")
///   }
/// }
/// ```
///
/// The changes of triggers, foreign key actions and conflict resolution are included, and a row that was changed twice
/// appears twice. Changes that were rolled back, alone or with a savepoint, do not appear.
///
/// ``encoded()`` and ``init(decoding:)`` convert the changes to and from bytes, to store or send them.
public struct TransactionChanges: Sendable, Hashable {
  /// The versions of the database that the changes lead to; nil if they are unknown.
  ///
  /// A transaction has one version: that of the database after its commit. Transactions that were committed together
  /// have the same one (``Configuration/groupsWrites``). Changes for the reasons
  /// ``Reason/externalCommit`` and ``Reason/missed`` may stand for several transactions: the first version and the last
  /// one.
  public var versions: ClosedRange<DatabaseVersion>?

  /// The time of the commit, in microseconds since 1970-01-01 00:00:00 UTC.
  public var microsecondsSince1970: Int64

  /// Whether all changes are known.
  public var completeness: Completeness

  /// Whether other changes of the same transaction follow: see ``ChangeStream/Limits/rowCount``.
  public var isContinued: Bool

  /// The changes, in the order of their execution.
  public var elements: [Element]

  /// Whether all changes of a transaction are known.
  public enum Completeness: Sendable, Hashable {
    /// All changes are elements.
    case complete

    /// Some changes are missing, for this reason.
    case incomplete(Reason)
  }

  /// The reason why changes are missing.
  public enum Reason: UInt8, Sendable, Hashable, CaseIterable {
    /// The transaction has changed more rows than the limit allows.
    case tooManyRows = 1

    /// Another connection or process has made the commit, and its changes are not stored in the change feed.
    case externalCommit = 2

    /// The database was replaced or rewritten as a whole: by a backup, by `VACUUM`, or because a database was attached
    /// or detached.
    case databaseReplaced = 3

    /// SQLite has not reported the changes of some rows, such as the rows of a virtual table, or has not reported a
    /// value as it stores it, or the rows contain a text that is not UTF-8. The tables are elements: see
    /// ``Element/unknownRows(databaseName:tableName:)``.
    case notReported = 4

    /// Anything may have changed: by statements that the program has executed with the C interface, for instance.
    case unknown = 5

    /// A stream has dropped transactions, because its consumer was too slow.
    case missed = 6

    /// The transaction has changed so many rows that they had to be stored in a temporary file, which could not be
    /// written or read, or would have exceeded 4 gigabytes.
    case notStored = 7
  }

  /// One change of a transaction.
  public enum Element: Sendable, Hashable {
    /// A row was inserted, updated or deleted.
    case row(ChangedRow)

    /// Rows of a table have changed, and they are unknown.
    case unknownRows(databaseName: String, tableName: String)

    /// The schema was changed by this SQL.
    case schema(sql: String)

    /// The counter of a table with `AUTOINCREMENT` has this value after the transaction; nil if it was removed.
    case counter(databaseName: String, tableName: String, value: Int64?)

    /// `PRAGMA user_version` has this value after the transaction.
    case userVersion(databaseName: String, value: Int32)

    /// A notification was sent: see ``Database/notify(channel:payload:)``. It changes no content.
    case notification(channel: String, payload: String)
  }

  /// Creates the changes of a transaction.
  ///
  /// - Parameters:
  ///   - versions: The versions of the database that the changes lead to.
  ///   - microsecondsSince1970: The time of the commit.
  ///   - completeness: Whether all changes are known.
  ///   - isContinued: Whether more changes of the same transaction follow.
  ///   - elements: The changes, in the order of their execution.
  public init(
    versions: ClosedRange<DatabaseVersion>? = nil, microsecondsSince1970: Int64,
    completeness: Completeness = .complete, isContinued: Bool = false, elements: [Element] = []
  ) {
    self.versions = versions
    self.microsecondsSince1970 = microsecondsSince1970
    self.completeness = completeness
    self.isContinued = isContinued
    self.elements = elements
  }

  /// The version of the database after the commit; nil if it is unknown.
  public var version: DatabaseVersion? { versions?.upperBound }

  /// Whether all changes are known, in this element and the following ones of the transaction.
  public var isComplete: Bool { completeness == .complete }

  /// The time of the commit.
  public var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6) }

  /// The changed rows, in the order of the changes.
  public var rows: [ChangedRow] {
    elements.compactMap { if case .row(let row) = $0 { row } else { nil } }
  }
}

extension TransactionChanges.Element: CustomStringConvertible {
  /// The change on one line.
  public var description: String {
    func name(_ databaseName: String, _ name: String) -> String {
      databaseName == "main" ? name : "\(databaseName).\(name)"
    }
    return switch self {
    case .row(let row): row.description
    case .unknownRows(let database, let table): "unknown rows of \(name(database, table))"
    case .schema(let sql): sql
    case .counter(let database, let table, let value):
      "counter of \(name(database, table)): \(value.map(String.init) ?? "none")"
    case .userVersion(let database, let value): "\(name(database, "user_version")) = \(value)"
    case .notification(let channel, let payload): "notification on \(channel): \(payload)"
    }
  }

  var isNotification: Bool { if case .notification = self { true } else { false } }
}

extension TransactionChanges: CustomStringConvertible {
  /// The version, the reason why changes are missing, and the changes, one on each line.
  public var description: String {
    let number = versions.map { versions in
      versions.lowerBound == versions.upperBound
        ? "\(versions.upperBound)" : "\(versions.lowerBound)–\(versions.upperBound)"
    }
    var lines = ["version \(number ?? "unknown")"]
    if case .incomplete(let reason) = completeness { lines[0] += ", incomplete: \(reason)" }
    if isContinued { lines[0] += ", continued" }
    return (lines + elements.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension TransactionChanges {
  /// The change of a record.
  public struct RecordChange<Record> {
    /// Whether the record was inserted, updated or deleted.
    public let operation: ChangedRow.Operation

    /// The record before the change; nil if it was inserted.
    public let oldRecord: Record?

    /// The record after the change; nil if it was deleted.
    public let newRecord: Record?
  }

  /// Returns the changes of the table of a record type, decoded.
  ///
  /// ```swift
  /// func log(_ transaction: TransactionChanges) throws {
  ///   for change in try transaction.changes(of: Player.self) where change.operation == .update {
  ///     print(change.oldRecord?.name ?? "", change.newRecord?.name ?? "")
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter type: The type of the records.
  /// - Returns: The changes, in their order.
  /// - Throws: The error of the decoding. Generated columns are not part of the changes: a record that requires one
  ///   cannot be decoded.
  public func changes<Record: FetchableRecord & TableRecord>(
    of type: Record.Type = Record.self
  ) throws -> [RecordChange<Record>] {
    let name = Record.databaseTableName
    return try elements.compactMap { element in
      guard case .row(let row) = element, row.table.isTable(name) else { return nil }
      return RecordChange(
        operation: row.operation, oldRecord: try row.oldRow.map(Record.init), newRecord: try row.newRow.map(Record.init)
      )
    }
  }
}

extension TransactionChanges.RecordChange: Sendable where Record: Sendable {}
extension TransactionChanges.RecordChange: Equatable where Record: Equatable {}
