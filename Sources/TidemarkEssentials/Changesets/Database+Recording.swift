extension Database {
  /// Runs a closure, and returns the changes that it makes.
  ///
  /// ```swift
  /// let changes = try dbQueue.write { db in
  ///   try db.recordingChanges {
  ///     try db.execute(sql: "UPDATE player SET score = score + 1")
  ///   }
  /// }
  /// print(changes)    // UPDATE player [1]: score 10 → 11
  /// ```
  ///
  /// The closure runs in a savepoint, or in a transaction if none is open. If it throws, its changes are rolled back.
  /// The changes include the changes by triggers, foreign key actions and conflict resolution, counters of
  /// `AUTOINCREMENT`, `PRAGMA user_version`, and schema changes. Changes that the closure has rolled back are left out.
  /// Recordings can be nested.
  ///
  /// If not all changes are known, the changes are rolled back, and an error is thrown: SQLite does not report the rows
  /// of virtual tables, of incremental blob writes, and of statements that are executed with the C interface. At most
  /// 100,000 rows of a transaction are recorded. A row with a text that is not UTF-8 is an unknown change, too.
  ///
  /// - Parameter updates: The closure. It must not end the savepoint or transaction in which it runs.
  /// - Returns: The changes, in the order of their execution.
  /// - Throws: The error of the closure, a ``ChangesetError`` if not all changes are known, or a ``DatabaseError``.
  public func recordingChanges(_ updates: () throws -> Void) throws -> Changeset {
    preconditionAccess()
    if isInsideTransaction { return try recordingChangesInSavepoint(updates) }
    var changes = Changeset()
    try inTransaction {
      changes = try recordingChangesInSavepoint(updates)
      return .commit
    }
    return changes
  }

  private func recordingChangesInSavepoint(_ updates: () throws -> Void) throws -> Changeset {
    var changes = Changeset()
    try inSavepoint {
      try loadChangedSchemas()
      let formerNumbers = try RecordedNumbers(self)
      let formerNeeds = try changeCapture.beginRecording()
      var isRecording = true
      defer { if isRecording { _ = changeCapture.endRecording(restoring: formerNeeds) } }
      try updates()
      isRecording = false
      guard let recorded = changeCapture.endRecording(restoring: formerNeeds), isInsideTransaction else {
        throw ChangesetError(
          .transactionEnded,
          "the closure has ended the transaction in which its changes are recorded: begin and end others in it")
      }
      changes = try changeset(of: recorded, formerNumbers)
      return .commit
    }
    return changes
  }

  /// Loads the schemas that other connections have changed.
  ///
  /// Otherwise, SQLite would notice it in the closure, and compile the running statement again. The schema changes of a
  /// recompiled statement are unknown. And the former counters of new tables would be missing.
  func loadChangedSchemas() throws {
    for name in try shielded({ try databaseNames() }) where name != "temp" {
      _ = try internalRows("SELECT 1 FROM \(name.quotedDatabaseIdentifier).sqlite_master LIMIT 1")
    }
  }

  private func changeset(of recorded: CommittedChanges, _ former: RecordedNumbers) throws -> Changeset {
    var reader = ChangeReader(region: .fullDatabase)
    let changes = reader.changes(of: recorded, isUnknown: false, rowLimit: .max, at: 0, nil)
    if case .incomplete(let reason)? = changes?.completeness {
      for case .unknownRows(let databaseName, let tableName) in changes?.elements ?? [] {
        throw ChangesetError(unknownRowsOf: TableKey(tableName, in: databaseName), because: reason)
      }
      throw ChangesetError(
        .incomplete(reason),
        "the changes are unknown (\(reason)): the program has used the C interface, or has created a virtual table")
    }
    let numbers = try RecordedNumbers(self).changes(since: former)
    return try Changeset((changes?.elements ?? []) + numbers.elements, formerNumbers: numbers.former)
  }
}

/// The counters of all tables, and the versions of all databases.
struct RecordedNumbers {
  private var counters: [(table: TableKey, value: Int64)] = []
  private var userVersions: [(database: String, value: Int32)] = []

  init(_ db: Database, in databaseNames: [String]? = nil) throws {
    for name in try databaseNames ?? db.shielded({ try db.databaseNames() }) {
      let database = name.quotedDatabaseIdentifier
      if try db.openHandle().hasTable("sqlite_sequence", in: name) {
        for row in try db.internalRows("SELECT name, seq FROM \(database).sqlite_sequence") {
          guard case .string(let table) = row[0].storage, case .int64(let value) = row[1].storage else { continue }
          counters.append((TableKey(table, in: name), value))
        }
      }
      if case .int64(let version)? = try db.internalRows(
        "PRAGMA \(database).user_version", nil, isFrequent: true
      ).first?[0].storage {
        userVersions.append((name, Int32(truncatingIfNeeded: version)))
      }
    }
  }

  /// Returns the numbers that differ from former ones, and their former values.
  func changes(since former: RecordedNumbers) -> (elements: [Changeset.Element], former: [Changeset.Element]) {
    func counter(_ table: TableKey, _ value: Int64?) -> Changeset.Element {
      .counter(databaseName: table.database, tableName: table.name, value: value)
    }
    let old = Dictionary(former.counters.map { ($0.table, $0.value) }, uniquingKeysWith: { first, _ in first })
    let new = Dictionary(counters.map { ($0.table, $0.value) }, uniquingKeysWith: { first, _ in first })
    let tables =
      counters.map(\.table).filter { old[$0] != new[$0] } + former.counters.map(\.table).filter { new[$0] == nil }
    var (elements, formerElements) = (tables.map { counter($0, new[$0]) }, tables.map { counter($0, old[$0]) })
    for version in userVersions {
      guard let old = former.userVersions.first(where: { $0.database == version.database }), old.value != version.value
      else { continue }
      elements.append(.userVersion(databaseName: version.database, value: version.value))
      formerElements.append(.userVersion(databaseName: version.database, value: old.value))
    }
    return (elements, formerElements)
  }

  /// The counter of a table.
  func counter(of table: TableKey) -> Int64? { counters.first { $0.table == table }?.value }
}
