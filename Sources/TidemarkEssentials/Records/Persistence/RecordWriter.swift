/// Writes records on a connection. Inserts, updates, upserts and deletions of records are executed here only.
///
/// It calls no callbacks, and does not depend on the record type: it receives encoded values and returns outcomes.
///
/// Invariants:
/// 1. A statement is executed once, and to its end, even if the closure that fetches its rows does not do so.
/// 2. While the program uses a statement, no other caller runs it.
@usableFromInline
struct RecordWriter {
  let db: Database
  let plan: RecordPlan

  @usableFromInline
  init(_ db: Database, _ recordType: any Any.Type, tableName: String) throws {
    self.db = db
    plan = try db.recordPlan(for: recordType, tableName)
  }

  /// The container into which records are encoded.
  @usableFromInline
  var emptyContainer: PersistenceContainer {
    PersistenceContainer(basedOn: plan.columns, encoder: plan.encoder.take())
  }

  /// Keeps the encoder of a container, into which a record has been encoded, for the next one.
  @usableFromInline
  func keepEncoder(of container: inout PersistenceContainer) { plan.encoder = container.encoder.take() }

  @usableFromInline
  func trapEmpty(_ recordType: any Any.Type) -> Never {
    fatalError(
      "\(recordType): invalid empty persistence container: encode(to:) must set at least one column of the table")
  }

  /// The names of all columns of the table.
  @usableFromInline
  var columnNames: Set<String> { plan.columnNames }

  // MARK: - Insertion

  /// - Parameter selection: The columns to fetch of the new row; empty for none.
  @usableFromInline
  func insert(
    _ container: consuming PersistenceContainer, _ resolution: Database.ConflictResolution,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void
  ) throws -> InsertionSuccess {
    let sql = plan.insertionSQL(container, resolution)
    // The closure may write other records of this type.
    let rowIDIndex = plan.rowIDIndex
    guard let rowID = try run(sql, container.values, returning: selection, isRowNeeded: false, fetch) else {
      throw try plan.recordNotFound(container)
    }
    return inserted(container, rowID, at: rowIDIndex)
  }

  /// - Parameter selection: The columns to fetch of the row.
  /// - Throws: `RecordError.recordNotFound` if a trigger has ignored the row.
  func upsert(
    _ container: consuming PersistenceContainer, _ upsertion: Upsertion,
    returning selection: [any SQLSelectable], _ decode: (Row) throws -> Void
  ) throws -> InsertionSuccess {
    let clause = try plan.clause(upsertion, container, db)
    let sql = plan.insertionSQL(container, .abort) + clause.sql
    // If SQLite updates a row, the last inserted row ID of the connection does not change. So the row ID is fetched in
    // the last column.
    let rowIDName = try plan.table.rowIDName(db)
    let identity = try rowIDName ?? plan.key().columns[0]
    let values = clause.values.appended(to: container.values)
    var rowID: Int64?
    let rowIDIndex = plan.rowIDIndex
    let insertedRowID = try run(sql, values, returning: selection + [Column(identity)], isRowNeeded: true) {
      let rows = try Row.fetchCursor($0)
      guard let row = try rows.next() else { throw NoRowReturned() }
      if rowIDName != nil { rowID = try row.decode(atIndex: row.count - 1) }
      try decode(row)
      try row.checking?.throwDeferredError()
    }
    guard let insertedRowID else { throw try plan.recordNotFound(container) }
    return inserted(container, rowID ?? insertedRowID, at: rowIDIndex)
  }

  private func inserted(
    _ container: consuming PersistenceContainer, _ rowID: Int64, at rowIDIndex: Int?
  ) -> InsertionSuccess {
    if let index = rowIDIndex {
      if container.values.integer(at: index) != rowID {
        container.replaceValue(at: index, with: rowID.databaseValue)
      }
    } else if let column = plan.rowIDColumn {
      container.store(rowID.databaseValue, in: column)
    }
    return InsertionSuccess(rowID: rowID, rowIDColumn: plan.rowIDColumn, persistenceContainer: container)
  }

  // MARK: - The row of a record

  /// Updates the row of a record. Returns nil if the row does not exist.
  ///
  /// - Parameter columns: The columns to update, or nil for all.
  @usableFromInline
  func update(
    _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: Set<String>?,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void
  ) throws -> PersistenceSuccess? {
    guard try hasKey(container) else { return nil }
    let update = try plan.update(container, columns, resolution)
    let totalBefore = db.totalChangesCount
    let values = update.values(container)
    guard try run(update.sql, values, returning: selection, isRowNeeded: true, fetch) != nil else { return nil }
    // A returned row exists. The closure may have executed another statement, to which the count then belongs.
    guard !selection.isEmpty || changesCount(since: totalBefore) > 0 else { return nil }
    return PersistenceSuccess(persistenceContainer: container, storedColumns: update.storedColumns)
  }

  /// Returns whether there was a row to delete.
  @usableFromInline
  func delete(_ container: PersistenceContainer) throws -> Bool {
    guard try hasKey(container) else { return false }
    let totalBefore = db.totalChangesCount
    try statement(plan.deletionSQL()).runToEnd(StatementArguments(values: plan.keyValues(container)))
    return changesCount(since: totalBefore) > 0
  }

  @usableFromInline
  func exists(_ container: PersistenceContainer) throws -> Bool {
    guard try hasKey(container) else { return false }
    let arguments = try StatementArguments(values: plan.keyValues(container))
    return try Bool.fetchOne(statement(plan.existenceSQL()), arguments: arguments) ?? false
  }

  /// Whether the record stores at least a part of its primary key. If not, it has no row.
  @usableFromInline
  func hasKey(_ container: PersistenceContainer) throws -> Bool { try plan.hasKey(container) }

  @usableFromInline
  func recordNotFound(_ container: PersistenceContainer) throws -> RecordError {
    try plan.recordNotFound(container)
  }

  // MARK: - Execution

  private func changesCount(since totalBefore: Int) -> Int {
    db.changesCount(since: totalBefore, isOfView: plan.table.kind == .view)
  }

  private func statement(_ sql: String) throws -> Statement { try db.preparedStatement(sql: sql).availableStatement() }

  /// - Parameter isRowNeeded: Whether the closure is only called if the statement returns a row.
  /// - Returns: The row ID of the row that an insertion has inserted, any number for other statements; nil if the
  ///   closure has found no row.
  private func run(
    _ sql: String, _ values: PackedValues, returning selection: [any SQLSelectable], isRowNeeded: Bool,
    _ fetch: (Statement) throws -> Void
  ) throws -> Int64? {
    if selection.isEmpty {
      try statement(sql).runToEnd(StatementArguments(values: values))
      return db.lastInsertedRowID
    }
    let clause = try plan.returningClause(selection, db)
    let arguments = StatementArguments(values: clause.values.appended(to: values))
    do {
      return try db.passingStatement(sql: sql + clause.sql, arguments, isRowNeeded: isRowNeeded, fetch)
    } catch is NoRowReturned {
      return nil
    }
  }
}

/// Thrown by a closure that needs a row, if the statement returned none.
struct NoRowReturned: Error {}
