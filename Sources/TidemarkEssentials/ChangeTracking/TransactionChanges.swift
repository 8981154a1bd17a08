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
  /// The version of the database after the commit; nil if it is unknown.
  public var version: DatabaseVersion?

  /// The time of the commit, in microseconds since 1970-01-01 00:00:00 UTC.
  public var microsecondsSince1970: Int64

  /// Whether all changes are known.
  public var completeness: Completeness

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

    /// Another connection or process has made the commit.
    case externalCommit = 2

    /// The database was replaced or rewritten as a whole: by a backup, or by `VACUUM`.
    case databaseReplaced = 3

    /// SQLite has not reported some changes: the changes of a virtual table, for instance, or of a statement that the
    /// program executed with the C interface.
    case notReported = 4
  }

  /// One change of a transaction.
  public enum Element: Sendable, Hashable {
    /// A row was inserted, updated or deleted.
    case row(ChangedRow)

    /// Rows of a table may have changed, and they are unknown.
    case unknownRows(table: ChangedTable)

    /// The schema was changed by this SQL.
    case schema(sql: String)

    /// The counter of a table with `AUTOINCREMENT` has this value after the transaction; nil if it was removed.
    case counter(tableName: String, value: Int64?)

    /// `PRAGMA user_version` has this value after the transaction.
    case userVersion(Int32)
  }

  /// Creates the changes of a transaction.
  ///
  /// - Parameters:
  ///   - version: The version of the database after the commit.
  ///   - microsecondsSince1970: The time of the commit.
  ///   - completeness: Whether all changes are known.
  ///   - elements: The changes, in the order of their execution.
  public init(
    version: DatabaseVersion? = nil, microsecondsSince1970: Int64, completeness: Completeness = .complete,
    elements: [Element] = []
  ) {
    self.version = version
    self.microsecondsSince1970 = microsecondsSince1970
    self.completeness = completeness
    self.elements = elements
  }

  /// The time of the commit.
  public var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6) }

  /// The changed rows, in the order of the changes.
  public var rows: [ChangedRow] {
    elements.compactMap { if case .row(let row) = $0 { row } else { nil } }
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
