/// Numbers in a database that no row reports, as they are after a transaction.
struct StoredNumbers: Sendable {
  /// The counters of tables with `AUTOINCREMENT`; nil if a table has none any more.
  var counters: [(table: TableKey, value: Int64?)] = []

  /// `PRAGMA user_version`, by the name of the database.
  var userVersions: [(database: String, value: Int32)] = []

  var isEmpty: Bool { counters.isEmpty && userVersions.isEmpty }
}

extension ChangeCapture {
  /// Reads the numbers that the committed transaction may have changed.
  ///
  /// They are read after the commit, because SQLite allows no statement in its commit hook. Another connection may have
  /// committed meanwhile: its commit is reported, too.
  func storedNumbers() -> StoredNumbers {
    var tables = tablesWithChangedCounters
    if tables.isEmpty, log.userVersionDatabases.isEmpty { return StoredNumbers() }
    do {
      for table in try countersOfRenamedTables(tables) where !tables.contains(table) { tables.append(table) }
      return try StoredNumbers(
        counters: tables.map { ($0, try counter(of: $0)) },
        userVersions: log.userVersionDatabases.sorted().compactMap { database in
          try storedNumber("PRAGMA \(database.quotedDatabaseIdentifier).user_version")
            .map { (database, Int32(truncatingIfNeeded: $0)) }
        })
    } catch {
      Database.log(error, "Could not read the counters that a transaction has changed")
      log.becomeUnknown()
      return StoredNumbers()
    }
  }

  /// Notes the counters that a statement may have changed. An insertion without rows changes a counter, too: it begins
  /// with zero then.
  func noteCounters(_ writes: StatementWrites) {
    for table in writes.tables where table.inserts && needs.layouts[table.key]?.layout.hasCounter == true {
      log.noteCounter(of: table.key)
    }
  }

  /// The tables whose counters may have changed, in the order of their first changes.
  private var tablesWithChangedCounters: [TableKey] {
    log.noteCountersOfRows()
    if log.coarse.isEmpty { return log.counterTables }
    var tables = log.counterTables
    for coarse in log.coarse
    where needs.layouts[coarse.key]?.layout.hasCounter == true && !tables.contains(coarse.key) {
      tables.append(coarse.key)
    }
    return tables
  }

  /// The tables that may have had another name when their counters changed or were removed: all that can have counters,
  /// after a table was altered.
  private func countersOfRenamedTables(_ tables: [TableKey]) throws -> [TableKey] {
    let altered = Set(log.schemaChanges.filter { $0.kind == .alter }.map(\.database.asciiLowercased))
    let databases = altered.intersection(tables.map(\.database.asciiLowercased))
    return try databases.sorted().flatMap { database in
      let name = database.quotedDatabaseIdentifier
      let names = try db.withoutBusyHandler {
        try db.handle?.texts(
          """
          SELECT name FROM \(name).sqlite_sequence
          UNION SELECT name FROM \(name).sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'
          """)
      }
      return (names ?? []).map { TableKey($0, in: database) }
    }
  }

  private func counter(of table: TableKey) throws -> Int64? {
    // The name is stored as the table was created.
    let name = table.name.textLiteral
    return try storedNumber(
      "SELECT seq FROM \(table.database.quotedDatabaseIdentifier).sqlite_sequence WHERE name = \(name) COLLATE NOCASE")
  }

  /// Returns the integer of the first row. A statement of the library is refused when its transaction has ended.
  private func storedNumber(_ sql: String) throws -> Int64? {
    try db.withoutBusyHandler { try db.handle?.firstInteger(sql) }
  }
}

extension ChangeLog {
  /// Notes the counters that the rows in memory may have changed.
  mutating func noteCountersOfRows() {
    if !layouts.contains(where: \.mayChangeCounters) { return }
    let sources = layouts.map(CounterSource.init)
    var known = Set(counterTables)
    func add(_ key: TableKey, _ log: inout ChangeLog) {
      if known.insert(key).inserted { log.noteCounter(of: key) }
    }
    for record in records {
      let layout = layouts[Int(record.table)]
      switch sources[Int(record.table)] {
      case .none: break
      // A failed statement may have kept its rows.
      case .insertions: if record.kind == .insert { add(layout.key, &self) }
      case .rows(let nameOffset):
        for name in namesOfCounters(record, layout, nameOffset) {
          add(TableKey(name, in: layout.key.database), &self)
        }
      }
    }
  }

  /// The changes of a table that show which counters have changed.
  private enum CounterSource: Equatable {
    case none

    /// The table has a counter.
    case insertions

    /// The table contains the counters, and their tables' names at this offset of its values.
    case rows(nameOffset: Int)

    init(_ layout: CaptureLayout) {
      if layout.hasCounter == true {
        self = .insertions
      } else if layout.key.isCounterTable,
        let offset = layout.storedColumns.firstIndex(where: { layout.columns[$0].name == "name" })
      {
        self = .rows(nameOffset: offset)
      } else {
        self = .none
      }
    }
  }

  /// The tables whose counters the program has changed with its own statement on `sqlite_sequence`.
  private func namesOfCounters(_ record: ChangeRecord, _ layout: CaptureLayout, _ nameOffset: Int) -> [String] {
    guard record.isCaptured else { return [] }
    let first = Int(record.valueStart) + nameOffset
    let positions = record.kind == .update ? [first, first + layout.storedColumns.count] : [first]
    return positions.compactMap { position in
      if case .string(let name) = values[position].storage { name } else { nil }
    }
  }
}

extension TableKey {
  /// The table in which SQLite stores the counters of a database.
  static func counterTable(in database: String) -> TableKey { TableKey("sqlite_sequence", in: database) }

  /// Whether SQLite stores the counters of a database in the table.
  var isCounterTable: Bool { hasName("sqlite_sequence") }
}
