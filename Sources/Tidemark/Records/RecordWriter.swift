/// Writes records on a connection: the only place where inserts, updates, upserts and deletions of records are
/// executed.
///
/// It calls no callback and knows no type of record: it is given what a record stores, and answers what happened.
///
/// Laws:
/// 1. What is written is written once, and to its end, whatever the closure does that fetches what the statement
///    returns.
/// 2. While the program has a statement in its hands, nobody else runs it.
struct RecordWriter {
  let db: Database
  let plan: RecordPlan

  init(_ db: Database, for recordType: any TableRecord.Type) throws {
    self.db = db
    plan = try db.recordPlan(for: recordType)
  }

  // MARK: - Insertion

  /// - parameter selection: What is fetched of the new row; nothing when it is empty.
  func insert(
    _ container: consuming PersistenceContainer, _ resolution: Database.ConflictResolution,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void
  ) throws -> InsertionSuccess {
    let sql = plan.insertionSQL(container, resolution)
    guard try run(sql, container.values, returning: selection, fetch) else {
      throw try plan.recordNotFound(container)
    }
    return inserted(container, db.lastInsertedRowID)
  }

  /// - parameter selection: What is fetched of the row.
  /// - throws: `RecordError.recordNotFound` when a trigger made SQLite leave the row out.
  func upsert(
    _ container: consuming PersistenceContainer, _ upsertion: Upsertion,
    returning selection: [any SQLSelectable], _ decode: (Row) throws -> Void
  ) throws -> InsertionSuccess {
    let clause = try upsertion.clause(plan, container.columnNames, db)
    let sql = plan.insertionSQL(container, .abort) + clause.sql
    // Where SQLite updates, the last row id of the connection stays what it was. So it is fetched, in the last column.
    let rowIDName = try plan.table.rowIDName(db)
    let identity = try rowIDName ?? plan.key().columns[0]
    var rowID: Int64?
    let isStored = try run(sql, container.values + clause.values, returning: selection + [Column(identity)]) {
      let rows = try Row.fetchCursor($0)
      guard let row = try rows.next() else { throw NothingReturned() }
      if rowIDName != nil { rowID = try row.decode(atIndex: row.count - 1) }
      try decode(row)
    }
    guard isStored else { throw try plan.recordNotFound(container) }
    return inserted(container, rowID ?? db.lastInsertedRowID)
  }

  private func inserted(_ container: consuming PersistenceContainer, _ rowID: Int64) -> InsertionSuccess {
    if let column = plan.rowIDColumn { container.store(rowID.databaseValue, in: column) }
    return InsertionSuccess(rowID: rowID, rowIDColumn: plan.rowIDColumn, persistenceContainer: container)
  }

  // MARK: - The row of a record

  /// Answers nil when there is no such row.
  ///
  /// - parameter columns: The columns to update, or nil for all.
  func update(
    _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: Set<String>?,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void
  ) throws -> PersistenceSuccess? {
    guard try hasKey(container) else { return nil }
    let update = try plan.update(container, columns, resolution)
    guard try run(update.sql, update.values(container), returning: selection, fetch) else { return nil }
    // What a trigger does in the place of an update is not counted by SQLite.
    guard db.changesCount > 0 || plan.table.kind == .view else { return nil }
    return PersistenceSuccess(persistenceContainer: container)
  }

  /// Whether there was a row to delete.
  func delete(_ container: PersistenceContainer) throws -> Bool {
    guard try hasKey(container) else { return false }
    try statement(plan.deletionSQL()).runToEnd(StatementArguments(values: plan.keyValues(container)))
    return db.changesCount > 0
  }

  func exists(_ container: PersistenceContainer) throws -> Bool {
    guard try hasKey(container) else { return false }
    let arguments = try StatementArguments(values: plan.keyValues(container))
    return try Bool.fetchOne(statement(plan.existenceSQL()), arguments: arguments) ?? false
  }

  /// Whether the record stores a part of its primary key at least. If not, it has no row.
  func hasKey(_ container: PersistenceContainer) throws -> Bool {
    try plan.keyValues(container).contains { !$0.isNull }
  }

  // MARK: - Execution

  private func statement(_ sql: String) throws -> Statement { try db.preparedStatement(sql: sql).idle() }

  /// Whether the closure found what it wants.
  private func run(
    _ sql: String, _ values: [DatabaseValue], returning selection: [any SQLSelectable],
    _ fetch: (Statement) throws -> Void
  ) throws -> Bool {
    if selection.isEmpty {
      try statement(sql).runToEnd(StatementArguments(values: values))
      return true
    }
    let clause = try plan.returningClause(selection, db)
    do {
      try db.lendingStatement(sql: sql + clause.sql, StatementArguments(values: values + clause.values), fetch)
      return true
    } catch is NothingReturned {
      return false
    }
  }
}

/// Thrown by a closure that wants a row, where the statement returned none.
struct NothingReturned: Error {}
