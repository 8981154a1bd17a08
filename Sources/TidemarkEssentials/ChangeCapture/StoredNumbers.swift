/// Numbers in a database that no row reports, as they are after a transaction.
struct StoredNumbers: Sendable, Equatable {
  /// The counters of tables with `AUTOINCREMENT`; nil if a table has none any more.
  var counters: [(table: TableKey, value: Int64?)] = []

  /// `PRAGMA user_version`, by the name of the database.
  var userVersions: [(database: String, value: Int32)] = []

  var isEmpty: Bool { counters.isEmpty && userVersions.isEmpty }

  static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.counters.elementsEqual(rhs.counters) { $0 == $1 }
      && lhs.userVersions.elementsEqual(rhs.userVersions) { $0 == $1 }
  }
}

extension ChangeCapture {
  /// Reads the numbers that the committed transaction may have changed.
  ///
  /// They are read after the commit, because SQLite allows no statement in its commit hook. Another connection may have
  /// committed meanwhile: its commit is reported, too.
  func storedNumbers() -> StoredNumbers {
    let tables = tablesWithChangedCounters
    if tables.isEmpty, log.userVersionDatabases.isEmpty { return StoredNumbers() }
    do {
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
    for table in writes.tables where table.inserts && needs.layouts[table.key]?.layout.wholeRows?.hasCounter == true {
      log.noteCounter(of: table.key)
    }
  }

  /// The tables whose counters may have changed, in the order of their first changes.
  private var tablesWithChangedCounters: [TableKey] {
    var tables = log.counterTables
    func add(_ key: TableKey) { if !tables.contains(key) { tables.append(key) } }
    for (index, layout) in log.layouts.enumerated() {
      if layout.wholeRows?.hasCounter == true {
        // A failed statement may have kept its rows.
        if log.records.contains(where: { $0.table == index && $0.kind == .insert }) { add(layout.key) }
      } else if layout.key.name == "sqlite_sequence" {
        for name in namesOfCounters(index, layout) { add(TableKey(name, in: layout.key.database)) }
      }
    }
    for coarse in log.coarse where needs.layouts[coarse.key]?.layout.wholeRows?.hasCounter == true { add(coarse.key) }
    return tables
  }

  /// The tables whose counters the program has changed with its own statements on `sqlite_sequence`.
  private func namesOfCounters(_ index: Int, _ layout: CaptureLayout) -> [String] {
    guard let offset = layout.storedColumns.firstIndex(where: { layout.columns[$0].name == "name" }) else { return [] }
    return log.records.flatMap { record -> [String] in
      guard record.table == index, record.isCaptured else { return [] }
      let first = Int(record.valueStart) + offset
      let positions = record.kind == .update ? [first, first + layout.storedColumns.count] : [first]
      return positions.compactMap { position in
        if case .string(let name) = log.values[position].storage { name } else { nil }
      }
    }
  }

  private func counter(of table: TableKey) throws -> Int64? {
    // The name is stored as the table was created.
    let name = "'\(table.name.replacing("'", with: "''"))'"
    return try storedNumber(
      "SELECT seq FROM \(table.database.quotedDatabaseIdentifier).sqlite_sequence WHERE name = \(name) COLLATE NOCASE")
  }

  /// Returns the integer of the first row. A statement of the library is refused when its transaction has ended.
  private func storedNumber(_ sql: String) throws -> Int64? {
    try db.withoutBusyHandler { try db.handle?.firstInteger(sql) }
  }
}
