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
  func insert<Fetched>(
    _ container: consuming PersistenceContainer, _ resolution: Database.ConflictResolution,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Fetched
  ) throws -> Written<InsertionSuccess, Fetched> {
    let sql = plan.insertionSQL(container, resolution)
    guard let fetched = try run(sql, container.values, returning: selection, fetch) else {
      throw try plan.recordNotFound(container)
    }
    return Written(inserted(container, db.lastInsertedRowID), fetched)
  }

  /// - parameter selection: What is fetched of the row.
  /// - throws: `RecordError.recordNotFound` when a trigger made SQLite leave the row out.
  func upsert<Fetched>(
    _ container: consuming PersistenceContainer, _ upsertion: Upsertion,
    returning selection: [any SQLSelectable], _ decode: (Row) throws -> Fetched
  ) throws -> Written<InsertionSuccess, Fetched> {
    let clause = try upsertion.clause(plan, container.columnNames, db)
    let sql = plan.insertionSQL(container, .abort) + clause.sql
    // Where SQLite updates, the last row id of the connection stays what it was. So it is fetched, in the last column.
    let rowIDName = try plan.table.rowIDName(db)
    let identity = try rowIDName ?? plan.key().columns[0]
    let fetched = try run(sql, container.values + clause.values, returning: selection + [Column(identity)]) {
      statement -> (rowID: Int64?, value: Fetched) in
      let rows = try Row.fetchCursor(statement)
      guard let row = try rows.next() else { throw NothingReturned() }
      let rowID = try rowIDName == nil ? nil : row.decode(Int64?.self, atIndex: row.count - 1)
      return (rowID, try decode(row))
    }
    guard let fetched else { throw try plan.recordNotFound(container) }
    return Written(inserted(container, fetched.rowID ?? db.lastInsertedRowID), fetched.value)
  }

  private func inserted(_ container: consuming PersistenceContainer, _ rowID: Int64) -> InsertionSuccess {
    if let column = plan.rowIDColumn { container.store(rowID.databaseValue, in: column) }
    return InsertionSuccess(rowID: rowID, rowIDColumn: plan.rowIDColumn, persistenceContainer: container)
  }

  // MARK: - The row of a record

  /// Answers nil when there is no such row.
  ///
  /// - parameter columns: The columns to update, or nil for all.
  func update<Fetched>(
    _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: Set<String>?,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Fetched
  ) throws -> Written<PersistenceSuccess, Fetched>? {
    guard try hasKey(container) else { return nil }
    let update = try plan.update(container, columns, resolution)
    guard let fetched = try run(update.sql, update.values(container), returning: selection, fetch) else { return nil }
    // What a trigger does in the place of an update is not counted by SQLite.
    guard db.changesCount > 0 || plan.table.kind == .view else { return nil }
    return Written(PersistenceSuccess(persistenceContainer: container), fetched)
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

  /// Answers nil when the closure found nothing.
  private func run<Fetched>(
    _ sql: String, _ values: [DatabaseValue], returning selection: [any SQLSelectable],
    _ fetch: (Statement) throws -> Fetched
  ) throws -> Fetched? {
    if selection.isEmpty {
      let statement = try statement(sql)
      try statement.runToEnd(StatementArguments(values: values))
      return try fetch(statement)
    }
    let clause = try plan.returningClause(selection, db)
    do {
      return try db.lendingStatement(sql: sql + clause.sql, StatementArguments(values: values + clause.values), fetch)
    } catch is NothingReturned {
      return nil
    }
  }
}

/// Thrown by a closure that wants a row, where the statement returned none.
struct NothingReturned: Error {}

/// What was written, and what was fetched of it.
struct Written<Success, Fetched> {
  var success: Success
  var fetched: Fetched

  init(_ success: Success, _ fetched: Fetched) {
    self.success = success
    self.fetched = fetched
  }
}

extension Written where Success == InsertionSuccess {
  /// What was inserted was stored.
  var stored: Written<PersistenceSuccess, Fetched> { Written<_, Fetched>(PersistenceSuccess(success), fetched) }
}
