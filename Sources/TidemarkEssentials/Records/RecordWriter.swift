/// Writes records on a connection: the only place where inserts, updates, upserts and deletions of records are
/// executed.
///
/// It calls no callback and knows no type of record: it is given what a record stores, and answers what happened.
///
/// Invariants:
/// 1. What is written is written once, and to its end, whatever the closure does that fetches what the statement
///    returns.
/// 2. While the program has a statement in its hands, nobody else runs it.
@usableFromInline
struct RecordWriter {
  let db: Database
  let plan: RecordPlan

  @usableFromInline
  init(_ db: Database, _ recordType: any Any.Type, tableName: String) throws {
    self.db = db
    plan = try db.recordPlan(for: recordType, tableName)
  }

  /// What a record is encoded into.
  @usableFromInline
  var emptyContainer: PersistenceContainer { PersistenceContainer(basedOn: plan.columns) }

  @usableFromInline
  func trapEmpty(_ recordType: any Any.Type) -> Never {
    fatalError("\(recordType): invalid empty persistence container")
  }

  /// The names of all columns of the table.
  @usableFromInline
  var columnNames: Set<String> { plan.columnNames }

  // MARK: - Insertion

  /// - parameter selection: What is fetched of the new row; nothing when it is empty.
  @usableFromInline
  func insert(
    _ container: consuming PersistenceContainer, _ resolution: Database.ConflictResolution,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void
  ) throws -> InsertionSuccess {
    let sql = plan.insertionSQL(container, resolution)
    guard try run(sql, container.values, returning: selection, isRowNeeded: false, fetch) else {
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
    let clause = try plan.clause(upsertion, container, db)
    let sql = plan.insertionSQL(container, .abort) + clause.sql
    // Where SQLite updates, the last row id of the connection stays what it was. So it is fetched, in the last column.
    let rowIDName = try plan.table.rowIDName(db)
    let identity = try rowIDName ?? plan.key().columns[0]
    let values = container.values + clause.values
    var rowID: Int64?
    let isStored = try run(sql, values, returning: selection + [Column(identity)], isRowNeeded: true) {
      let rows = try Row.fetchCursor($0)
      guard let row = try rows.next() else { throw NoRowReturned() }
      if rowIDName != nil { rowID = try row.decode(atIndex: row.count - 1) }
      try decode(row)
      try row.checking?.throwDeferredError()
    }
    guard isStored else { throw try plan.recordNotFound(container) }
    return inserted(container, rowID ?? db.lastInsertedRowID)
  }

  private func inserted(_ container: consuming PersistenceContainer, _ rowID: Int64) -> InsertionSuccess {
    if let index = plan.rowIDIndex {
      container.replaceValue(at: index, with: rowID.databaseValue)
    } else if let column = plan.rowIDColumn {
      container.store(rowID.databaseValue, in: column)
    }
    return InsertionSuccess(rowID: rowID, rowIDColumn: plan.rowIDColumn, persistenceContainer: container)
  }

  // MARK: - The row of a record

  /// Answers nil when there is no such row.
  ///
  /// - parameter columns: The columns to update, or nil for all.
  @usableFromInline
  func update(
    _ container: PersistenceContainer, _ resolution: Database.ConflictResolution, columns: Set<String>?,
    returning selection: [any SQLSelectable], _ fetch: (Statement) throws -> Void
  ) throws -> PersistenceSuccess? {
    guard try hasKey(container) else { return nil }
    let update = try plan.update(container, columns, resolution)
    let totalBefore = db.totalChangesCount
    let values = update.values(container)
    guard try run(update.sql, values, returning: selection, isRowNeeded: true, fetch) else { return nil }
    guard changesCount(since: totalBefore) > 0 else { return nil }
    return PersistenceSuccess(persistenceContainer: container)
  }

  /// Whether there was a row to delete.
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

  /// Whether the record stores a part of its primary key at least. If not, it has no row.
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

  /// - parameter isRowNeeded: Whether the closure is called only when the statement returns a row.
  /// - returns: Whether the closure found what it wants.
  private func run(
    _ sql: String, _ values: [DatabaseValue], returning selection: [any SQLSelectable], isRowNeeded: Bool,
    _ fetch: (Statement) throws -> Void
  ) throws -> Bool {
    if selection.isEmpty {
      try statement(sql).runToEnd(StatementArguments(values: values))
      return true
    }
    let clause = try plan.returningClause(selection, db)
    let arguments = StatementArguments(values: clause.values.isEmpty ? values : values + clause.values)
    do {
      return try db.lendingStatement(sql: sql + clause.sql, arguments, isRowNeeded: isRowNeeded, fetch)
    } catch is NoRowReturned {
      return false
    }
  }
}

/// Thrown by a closure that wants a row, where the statement returned none.
struct NoRowReturned: Error {}
