import CSQLite

// The regions of statements: first from the authorizer, then refined to rows from the SQL text.

extension Database {
  /// Returns the part of the region that does not depend on the arguments.
  ///
  /// - Throws: An error if the statement does not compile any more.
  func regionPlan(of statement: Statement, depth: Int = 0) throws -> RegionPlan {
    preconditionAccess()
    // SQLite executes many pragmas during compilation. They read no rows of tables.
    if let pragma = PragmaStatement(statement.sql) { return pragma.regionPlan }
    let reads = try compilation.reads { _ = try compile(statement.sql, isInternal: true) }
    return try untraced {
      var builder = RegionPlanBuilder(self, statement, depth: depth)
      return try builder.plan(reads)
    }
  }

  /// Returns the facts about a table, if a schema module is installed.
  func facts(ofTable name: String, in database: String?) throws -> TableFacts? {
    try schema.facts?.table(self, name, database)
  }

  /// Returns the names of the databases that have a table of the given name. Views are left out.
  func databases(withTable name: String) throws -> [String] {
    let handle = try openHandle()
    return try databaseNames().filter { handle.hasTable(name, in: $0) }
  }

  /// Returns the names of all databases, in the order of their numbers in SQLite.
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

  /// Returns the rows of an internal statement, which is not traced.
  func internalRows(_ sql: String, _ arguments: [DatabaseValue] = []) throws -> [[DatabaseValue]] {
    try internalRows(sql, arguments.isEmpty ? nil : StatementArguments(values: arguments))
  }

  /// Returns the rows of an internal statement with the arguments of another statement.
  func internalRows(_ sql: String, _ arguments: StatementArguments?) throws -> [[DatabaseValue]] {
    try untraced {
      let statement = try compile(sql, isInternal: true)
      statement.argumentState.areChecked = false
      try statement.start(arguments)
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
  /// Runs a closure, and returns the regions that its statements have read.
  ///
  /// - Parameter usesBounds: Whether rows are left out that do not matter in the current snapshot: see `RegionBound`.
  ///   The closure must not write.
  func recordingReads<Result>(
    usesBounds: Bool = false, _ body: () throws -> Result
  ) rethrows -> (result: Result, readSet: ReadSet) {
    let (outer, outerUsesBounds) = (recording.readSet, recording.usesBounds)
    recording.readSet = ReadSet()
    recording.usesBounds = usesBounds && (outer == nil || outerUsesBounds)
    defer {
      let inner = recording.readSet
      (recording.readSet, recording.usesBounds) = (outer, outerUsesBounds)
      // The enclosing recording has read the same regions.
      if let inner { recording.readSet?.add(inner) }
    }
    let result = try body()
    return (result, recording.readSet ?? ReadSet(.fullDatabase))
  }

  /// Adds a region to the observation whose value is being fetched, as if a statement had read it.
  ///
  /// ```swift
  /// let observation = ValueObservation.tracking { db in
  ///   // What is computed depends on the books, though they are read by something else than the library.
  ///   try db.registerAccess(to: Table("book"))
  ///   return try computeSomething(db)
  /// }
  /// ```
  ///
  /// Outside of an observation, this does nothing, and the region is not evaluated.
  ///
  /// - Parameter region: The region.
  /// - Throws: The error of resolving the region.
  public func registerAccess(to region: @autoclosure () -> any DatabaseRegionConvertible) throws {
    preconditionAccess()
    if recording.readSet == nil { return }
    // The recorder does not see how the region is read.
    recording.digest?.isUnknown = true
    let region = try region().databaseRegion(self)
    recording.readSet?.add(region)
  }

  /// Runs a closure that fetches rows, and records the region of another statement instead.
  ///
  /// - Parameters:
  ///   - statement: A statement that reads the rows that matter, with its arguments. It is not executed.
  ///   - body: Executes statements that read these rows. Other rows that they read are recorded by the caller.
  func recordingReads<Result>(of statement: Statement, insteadOf body: () throws -> Result) rethrows -> Result {
    recordReads(of: statement)
    let outer = recording.readSet
    recording.readSet = nil
    defer { recording.readSet = outer }
    return try body()
  }

  /// Records the region that a statement is about to read.
  func recordReads(of statement: Statement) {
    // Internal statements are not recorded.
    if recording.readSet == nil || callbacks.isTraceSuspended { return }
    // The statements that determine the region do not belong to the digest.
    let made = recording.digest
    defer { recording.digest = made }
    // The statement may have been compiled for another schema, which SQLite detects at the first step.
    let rowCount = statement.addRegion(to: &recording.readSet)
    if recording.usesBounds, let rowCount { statement.followRows(upTo: rowCount) }
  }
}

extension ConnectionHandle {
  /// Returns whether a database has a table of the given name. Views are left out. C: `sqlite3_table_column_metadata`.
  fileprivate func hasTable(_ name: String, in database: String) -> Bool {
    sqlite3_table_column_metadata(pointer, database, name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  /// Returns the collation of a column; nil if the column does not exist. C: `sqlite3_table_column_metadata`.
  func collation(ofColumn column: String, in table: TableKey) -> String? {
    var collation: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      pointer, table.database, table.name, column, nil, &collation, nil, nil, nil)
    return code == SQLITE_OK ? collation.map { String(cString: $0) } : nil
  }
}
