// The tables that a statement writes, and the needs for their changes.

extension ChangeCapture {
  /// The capture plan for the execution of a statement. It is computed once per statement, as long as nothing changes,
  /// and once per transaction if there are observers.
  func plan(for writes: StatementWrites) -> CapturePlan {
    if let plan = knownPlan(of: writes), plan.epoch == needs.epoch { return plan }
    takeWriteLock(for: writes)
    // A virtual table updates its shadow tables with statements that were compiled before.
    lazy var writesVirtualTable = writes.tables.contains { isVirtual($0.key) }
    let tables = writes.tables.map { written in
      let table = CapturedTable(written.key)
      addObservers(of: written.eventKinds, to: table)
      table.state.observers.haveBeenAskedAboutDeletes = written.deletes
      // Opening a virtual table while its statement is compiled also compiles statements on its shadow tables.
      addVirtualTables(to: table, written: writes.tables.map(\.key))
      addLayout(to: table)
      if table.layout != nil, !written.updatedColumns.isEmpty, !writesVirtualTable {
        table.determineUnchangedColumns(updated: written.updatedColumns)
      }
      table.determineNeed()
      return table
    }
    let plan = CapturePlan(tables: tables, epoch: needs.epoch)
    writes.findings.plan = plan
    return plan
  }

  /// Takes the write lock for the first statement of a deferred transaction, before the schema is read: SQLite does not
  /// wait for the lock of another connection in a transaction that has read.
  private func takeWriteLock(for writes: StatementWrites) {
    guard let key = writes.tables.first?.key, !db.isInAutocommitMode, db.handle?.isReading(key.database) == false else {
      return
    }
    do {
      // Of the statements that need the lock, this one changes the least: nothing, or one free page of a file that is
      // vacuumed incrementally. The program can still ask for the number of rows that its last statement has changed.
      let pragma = try DirectStatement(
        "PRAGMA \(key.database.quotedDatabaseIdentifier).incremental_vacuum(1)", on: db)
      defer { pragma.reset() }
      _ = try pragma.step()
    } catch DatabaseError.SQLITE_BUSY {
      // The statement itself throws the error, without waiting again.
    } catch {
      Database.log(error, "Could not take the write lock before the schema is read")
    }
  }

  /// Asks observers about deletions that the statement does not name: `INSERT OR REPLACE` and `UPDATE OR REPLACE`
  /// delete conflicting rows.
  func askDeleteObservers(_ table: CapturedTable) {
    if table.state.observers.haveBeenAskedAboutDeletes { return }
    table.state.observers.haveBeenAskedAboutDeletes = true
    addObservers(of: [.delete(tableName: table.key.name)], to: table)
    table.determineNeed()
  }

  /// The plan for a table that the statement, if there is one, was not known to write.
  func unplannedTable(_ key: TableKey) -> CapturedTable {
    if needs.unplannedTablesEffectCount != db.effectCount { needs.unplannedTables = [:] }
    if let table = needs.unplannedTables[key] { return table }
    let table = CapturedTable(key)
    table.state.observers.haveBeenAskedAboutDeletes = true
    if !needs.observations.isEmpty {
      addObservers(
        of: [.insert(tableName: key.name), .delete(tableName: key.name), updateKind(of: key)], to: table)
    }
    addVirtualTables(to: table, written: (steps.current?.statement.writes?.tables ?? []).map(\.key))
    addLayout(to: table)
    table.determineNeed()
    needs.unplannedTables[key] = table
    // Looking up the table is not a change.
    needs.unplannedTablesEffectCount = db.effectCount
    return table
  }

  private func addObservers(of kinds: [DatabaseEventKind], to table: CapturedTable) {
    for observation in needs.observations where !observation.ignoresChanges {
      guard let observer = observation.observer else { continue }
      for kind in kinds where observer.observes(eventsOfKind: kind) {
        switch kind {
        case .insert: table.state.observers.add(observation, .insert)
        case .delete: table.state.observers.add(observation, .delete)
        case .update: table.state.observers.add(observation, .update)
        }
      }
    }
  }

  /// Adds the virtual tables that store their content in a table, if they are needed.
  private func addVirtualTables(to table: CapturedTable, written: [TableKey]) {
    let virtualTables = prefixes(of: table.key).filter { candidate in
      // Checked last: a table that does not exist is looked up each time.
      (written.contains(candidate) || needs.ofSubscribers.tables[candidate] != nil) && isVirtual(candidate)
    }
    if virtualTables.isEmpty { return }
    table.state.virtualTables = virtualTables.filter { needs.ofSubscribers.needs(of: $0) != nil }
    let names = virtualTables.filter(written.contains).map(\.name)
    for observation in needs.observations where !observation.ignoresChanges {
      guard let observer = observation.observer, names.flatMap(eventKinds).contains(where: observer.observes) else {
        continue
      }
      for kind in [RowChange.Kind.insert, .delete, .update] { table.state.observers.add(observation, kind) }
    }
  }

  private func eventKinds(of name: String) -> [DatabaseEventKind] {
    [.insert(tableName: name), .delete(tableName: name), .update(tableName: name, columnNames: [])]
  }

  private func updateKind(of key: TableKey) -> DatabaseEventKind {
    let columns = (try? catalogTable(key))??.allColumns.map(\.name) ?? []  // Why: an unknown table has no columns.
    return .update(tableName: key.name, columnNames: Set(columns))
  }

  /// The possible names of a virtual table that stores its content in a table: the name of its shadow table continues
  /// with an underscore and further letters.
  private func prefixes(of key: TableKey) -> [TableKey] {
    let name = key.name
    return name.indices.filter { name[$0] == "_" }.map { TableKey(String(name[..<$0]), in: key.database) }
  }

  // MARK: - The catalog

  /// The virtual table that stores its content in a table, if there is one.
  func virtualTable(before key: TableKey) -> TableKey? { prefixes(of: key).first(where: isVirtual) }

  private func isVirtual(_ key: TableKey) -> Bool {
    do {
      return try catalogTable(key)?.kind == .virtualTable
    } catch {
      Database.log(error, "Could not determine whether \(key) is a virtual table")
      return false
    }
  }

  /// Whether a statement writes no virtual table; false if this is unknown.
  func isOrdinary(_ statement: Statement) -> Bool {
    guard let writes = statement.writes else { return false }
    if let known = writes.findings.areTablesOrdinary { return known }
    do {
      let areOrdinary = try writes.tables.allSatisfy { try catalogTable($0.key)?.kind == .table }
      writes.findings.areTablesOrdinary = areOrdinary
      return areOrdinary
    } catch {
      return false
    }
  }

  func catalogTable(_ key: TableKey) throws -> CatalogTable? {
    try db.shielded { try db.catalogTable(key.name, in: key.database) }
  }

  private func addLayout(to table: CapturedTable) {
    guard let needs = needs.ofSubscribers.needs(of: table.key) else { return }
    do {
      guard let source = try catalogTable(table.key) else { return }
      switch source.kind {
      case .view: return
      case .virtualTable: table.state.isNeededVirtualTable = true
      case .table: table.state.layout = try layout(source, table.key, needs)
      }
    } catch {
      // Of a table of which nothing is known, any change may be of anything.
      table.state.layout = CaptureLayout(key: table.key)
    }
  }

  private func layout(
    _ source: CatalogTable, _ key: TableKey, _ tableNeeds: CaptureNeeds.TableNeeds
  ) throws -> CaptureLayout {
    if let known = needs.layouts[key], known.source === source, known.needs == tableNeeds { return known.layout }
    let layout = try db.shielded { try CaptureLayout(source, key, tableNeeds, db) }
    needs.layouts[key] = (source, tableNeeds, layout)
    return layout
  }

  // MARK: - Defaults

  /// The old value of a column for which SQLite reports NULL: if the column was added after the row was written, it
  /// is the default, as a query of the row shows.
  func defaultedValue(_ signal: RowChangeSignal, _ column: CaptureLayout.Column, _ key: TableKey) -> DatabaseValue? {
    do {
      guard let table = try catalogTable(key),
        let (condition, arguments) = try db.shielded({ try identity(signal, table) })
      else { return nil }
      let sql = "SELECT \(column.name.quotedDatabaseIdentifier) FROM \(table.qualifiedSQL) WHERE \(condition)"
      return try db.shielded {
        try db.untraced {
          let statement = try db.preparedStatement(sql: sql).availableStatement()
          try statement.start(arguments)
          defer { statement.finish() }
          guard try statement.step() else { return nil }
          return DatabaseValue.read(statement.sqliteStatement, 0)
        }
      }
    } catch {
      Database.log(error, "Could not read the old value of a column")
      return nil
    }
  }

  /// - Returns: Nil if columns of the table hide its row ID, or if SQLite does not report a column of its key reliably.
  private func identity(_ signal: RowChangeSignal, _ table: CatalogTable) throws -> (String, StatementArguments)? {
    let key = try table.primaryKey(db)
    guard let key, !key.hasRowID else {
      guard let name = try key?.rowIDColumn ?? table.rowIDName(db) else { return nil }
      return ("\(name.quotedDatabaseIdentifier) = ?", [signal.oldRowID])
    }
    let all = CaptureNeeds.TableNeeds(columns: Set(key.columns.map(\.asciiLowercased)))
    let layout = try CaptureLayout(table, TableKey(table.name, in: table.id.schemaID.name), all, db)
    var (conditions, values): ([String], [DatabaseValue]) = ([], [])
    // A collation of the key may differ from the collation of its column.
    for (name, collation) in try table.keyTerms(db) {
      guard let column = layout.columns.first(where: { $0.name == name.asciiLowercased }),
        let value = signal.oldValue(column.oldIndex)
      else { return nil }
      conditions.append("\(name.quotedDatabaseIdentifier) = ? COLLATE \(collation.quotedDatabaseIdentifier)")
      values.append(DatabaseValue(copying: value))
    }
    return (conditions.joined(separator: " AND "), StatementArguments(values))
  }
}

// MARK: - Schema changes

// SQLite asks for the permission to create an object before it finds out that the object exists.

extension ChangeCapture {
  /// The version of the schema that a statement changes if an object does not exist; nil for other statements.
  func schemaVersion(before statement: Statement, _ writes: StatementWrites) -> Int64? {
    guard let change = writes.schemaChanges.first, change.kind == .create, statement.sql.hasCondition else {
      return nil
    }
    return schemaVersion(of: change.database)
  }

  /// Whether a statement that may change the schema has changed it.
  func hasChangedSchema(_ step: Step, _ writes: StatementWrites) -> Bool {
    guard let before = step.schemaVersion, let database = writes.schemaChanges.first?.database else { return true }
    return schemaVersion(of: database) != before
  }

  /// Whether the current step of a statement has compiled schema changes that differ from the known ones.
  ///
  /// SQLite compiles the statement again if another connection has changed the schema. It then usually changes the
  /// same. A virtual table creates tables, with rows that are in the log before the statement.
  func hasCompiledOtherSchemaChanges(_ statement: Statement) -> Bool {
    let compilation = db.compilation
    guard let step = steps.current, let writes = statement.writes else { return true }
    let count = compilation.counts.recompiledSchemaChanges &- step.recompiledSchemaChangeCount
    // The other connection may have created the table of counters.
    let changes = compilation.recompiledSchemaChanges.suffix(Int(count)).compactMap { $0 }.filter { !$0.isOfSQLite }
    return changes != writes.schemaChanges.filter { !$0.isOfSQLite }
  }

  private func schemaVersion(of database: String) -> Int64? {
    do {
      return try db.withoutBusyHandler {
        try db.untraced {
          try db.handle?.firstInteger("PRAGMA \(database.quotedDatabaseIdentifier).schema_version")
        }
      }
    } catch {
      // In doubt, the schema has changed.
      return nil
    }
  }
}

extension SchemaChange {
  /// Whether an object of SQLite itself is changed.
  fileprivate var isOfSQLite: Bool { name.asciiLowercased.hasPrefix("sqlite_") }
}

extension String {
  /// Whether a statement that creates an object has the words `IF NOT EXISTS`. They precede the name.
  fileprivate var hasCondition: Bool {
    var tokens = SQLTokenizer(self)
    for _ in 0..<6 where tokens.next() == .word {
      if self[tokens.range].asciiUppercased == "EXISTS" { return true }
    }
    return false
  }
}

// MARK: - Created tables

// SQLite reports the rows of `CREATE TABLE … AS SELECT` to no hook. The statement cannot stand for them: executed
// elsewhere, or later, its query may return other rows.

extension ChangeCapture {
  /// Adds the table that a statement has created, and filled with the rows of a query, to the log: an equal table
  /// without rows, and its rows.
  ///
  /// - Returns: False if the statement is another one, or if the rows are not needed.
  func addCreatedRows(_ statement: Statement, _ step: Step) -> Bool {
    guard broker.rowNeeds.exist, let writes = statement.writes, !writes.schemaChanges.isEmpty,
      statement.sql.isTableCreationWithRows, hasChangedSchema(step, writes),
      let change = writes.schemaChanges.first(where: { $0.kind == .create && $0.subject == .table })
    else { return false }
    let key = TableKey(change.name, in: change.database)
    let captured = unplannedTable(key)
    guard let layout = captured.layout, layout.wantsRows else { return false }
    do {
      guard let table = try catalogTable(key), let definition = table.sql?.definitionOfCreatedTable else {
        return false
      }
      log.add(writes.schemaChanges, by: "CREATE TABLE \(key.database.quotedDatabaseIdentifier).\(definition)")
      try addRows(of: table, captured, layout)
    } catch {
      Database.log(error, "Could not read the rows of the new table \(key)")
      log.becomeUnknown()
    }
    return true
  }

  private func addRows(of table: CatalogTable, _ captured: CapturedTable, _ layout: CaptureLayout) throws {
    guard layout.unreadColumns.isEmpty, let rowIDName = try table.rowIDName(db) else {
      log.addCoarse(layout.key, .insert)
      return
    }
    let names = [rowIDName] + layout.storedColumns.map { layout.columns[$0].name.quotedDatabaseIdentifier }
    let sql = "SELECT \(names.joined(separator: ", ")) FROM \(table.qualifiedSQL) ORDER BY \(rowIDName)"
    try db.shielded {
      try db.untraced {
        let rows = try db.compile(sql, isInternal: true)
        try rows.start()
        defer { rows.finish() }
        while try rows.step() {
          guard log.hasRoom(for: captured) else {
            log.truncate()
            log.addCoarse(layout.key, .insert)
            return
          }
          guard addRow(rows, captured, layout) else { return }
        }
      }
    }
  }

  /// - Returns: False if SQLite has no memory for a value.
  private func addRow(_ row: Statement, _ captured: CapturedTable, _ layout: CaptureLayout) -> Bool {
    guard let value = DatabaseValue.readWithoutRefusal(row.sqliteStatement, 0), case .int64(let rowID) = value.storage
    else { return false }
    var record = ChangeRecord(table: 0, kind: .insert, oldRowID: rowID, newRowID: rowID)
    let start = log.end
    record.valueStart = UInt32(log.values.count)
    let isRead = log.values.append(layout.storedColumns.count) { values in
      for column in layout.storedColumns.indices {
        guard let value = BorrowedValue(ColumnValue(row.sqliteStatement, CInt(column + 1))) else { return false }
        values.set(value, at: column)
        if value.isInvalidText { record.hasRepairedText = true }
      }
      return true
    }
    if !isRead {
      log.dropValues(after: start)
      log.addCoarse(layout.key, .insert)
      return false
    }
    record.isCaptured = true
    record.table = log.index(of: captured)
    log.add(record)
    return true
  }
}

extension String {
  /// Whether the text is a statement `CREATE TABLE … AS SELECT`.
  fileprivate var isTableCreationWithRows: Bool {
    var tokens = SQLTokenizer(self)
    var word: String { self[tokens.range].asciiUppercased }
    guard tokens.next() == .word, word == "CREATE", tokens.next() == .word else { return false }
    if word == "TEMP" || word == "TEMPORARY" { _ = tokens.next() }
    guard word == "TABLE" else { return false }
    // The name, perhaps after IF NOT EXISTS and the name of a database.
    while let token = tokens.next() {
      if token == .word, word == "AS" { return true }
      if token == .other, word != "." { break }
    }
    return false
  }

  /// What follows `CREATE TABLE` in the stored definition of a table.
  fileprivate var definitionOfCreatedTable: Substring? {
    let start = "CREATE TABLE "
    return hasPrefix(start) ? dropFirst(start.count) : nil
  }
}
