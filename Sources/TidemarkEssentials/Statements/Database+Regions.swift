import CSQLite

// What statements read: first as the authorizer tells, then narrowed to rows by the text of the statement.

extension Database {
  /// What can be said of the region of a statement before its arguments are known.
  ///
  /// - throws: An error when the statement does not compile any more.
  func regionPlan(of statement: Statement, depth: Int = 0) throws -> RegionPlan {
    preconditionAccess()
    // The compiler carries out many pragmas. They read no rows of tables.
    if let pragma = PragmaStatement(statement.sql) { return pragma.regionPlan }
    let reads = try compilation.reads { _ = try compile(statement.sql, isInternal: true) }
    return try untraced {
      var builder = RegionPlanBuilder(self, statement, depth: depth)
      return try builder.plan(reads)
    }
  }

  /// What is known of a table, if a module that knows is there.
  func facts(ofTable name: String, in database: String?) throws -> TableFacts? {
    try schemaFacts?.table(self, name, database)
  }

  /// The names of the databases that have a table of that name, views apart.
  func databases(withTable name: String) throws -> [String] {
    let handle = try openHandle()
    return try databaseNames().filter { handle.hasTable(name, in: $0) }
  }

  /// The names of all databases, in the order of SQLite's numbers for them.
  func databaseNames() throws -> [String] {
    if !compilation.mayHaveAttachedDatabases { return ["main", "temp"] }
    let rows = try internalRows("PRAGMA database_list")
    let attached = rows.compactMap { row -> String? in
      guard case .int64(let number) = row[0].storage, number >= 2, case .string(let name) = row[1].storage else {
        return nil
      }
      return name
    }
    return ["main", "temp"] + attached
  }

  /// The rows of a statement of the library's own. It is not traced.
  func internalRows(_ sql: String, _ arguments: [DatabaseValue] = []) throws -> [[DatabaseValue]] {
    try untraced {
      let statement = try compile(sql, isInternal: true)
      statement.checksArguments = false
      try statement.start(arguments.isEmpty ? nil : StatementArguments(values: arguments))
      defer { statement.finish() }
      let columns = 0..<sqlite3_column_count(statement.sqliteStatement)
      var rows: [[DatabaseValue]] = []
      while try statement.step() {
        rows.append(
          try columns.map { column in
            guard let value = DatabaseValue.readWithoutRefusal(statement.sqliteStatement, column) else {
              throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
            return value
          })
      }
      return rows
    }
  }
}

// MARK: - Recording

extension Database {
  /// Runs a closure, and answers what its statements have read.
  ///
  /// - parameter usesBounds: Whether rows are left out that do not matter in the state that is read: see `RegionBound`.
  ///   Nothing is written meanwhile.
  func recordingReads<Result>(
    usesBounds: Bool = false, _ body: () throws -> Result
  ) rethrows -> (result: Result, readSet: ReadSet) {
    let (outer, outerUsesBounds) = (readSet, recordsBounds)
    readSet = ReadSet()
    recordsBounds = usesBounds && (outer == nil || outerUsesBounds)
    defer {
      let inner = readSet
      (readSet, recordsBounds) = (outer, outerUsesBounds)
      // A closure around this one has read that, too.
      if let inner { readSet?.add(inner) }
    }
    let result = try body()
    return (result, readSet ?? ReadSet(.fullDatabase))
  }

  /// Has an observation whose values are being fetched observe a region, too, as if it had been read.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { db in
  ///   // What is computed depends on the books, though they are read by something else than the library.
  ///   try db.registerAccess(to: Table("book"))
  ///   return try computeSomething(db)
  /// }
  /// ```
  ///
  /// Where nothing is observed, nothing happens, and the region is not even made.
  public func registerAccess(to region: @autoclosure () -> any DatabaseRegionConvertible) throws {
    preconditionAccess()
    if readSet == nil { return }
    // It is read by something that is not seen.
    currentDigest?.isUnknown = true
    let region = try region().databaseRegion(self)
    readSet?.add(region)
  }

  /// Takes note of what a statement is about to read.
  func recordReads(of statement: Statement) {
    // What the library asks for itself is not traced.
    if readSet == nil || callbacks.isTraceSuspended { return }
    // What is asked for to find out what is read is of no interest to who reads.
    let made = currentDigest
    defer { currentDigest = made }
    // The statement may have been compiled for another schema, which SQLite finds out at the first step.
    let rowCount = statement.addRegion(to: &readSet)
    if recordsBounds, let rowCount { statement.observeRows(upTo: rowCount) }
  }
}

extension ConnectionHandle {
  /// Whether a database has a table of that name, views apart. C: `sqlite3_table_column_metadata`.
  fileprivate func hasTable(_ name: String, in database: String) -> Bool {
    sqlite3_table_column_metadata(pointer, database, name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  /// The collation of a column; nil when there is no such column. C: `sqlite3_table_column_metadata`.
  func collation(ofColumn column: String, in table: TableKey) -> String? {
    var collation: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      pointer, table.database, table.name, column, nil, &collation, nil, nil, nil)
    return code == SQLITE_OK ? collation.map { String(cString: $0) } : nil
  }
}
