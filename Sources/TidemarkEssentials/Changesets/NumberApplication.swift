/// Sets the counters and versions of a changeset.
struct NumberApplication {
  private let db: Database
  private let changeset: Changeset
  private let numbers: NumberChanges

  /// The numbers before the rows of the changeset were applied.
  let former: RecordedNumbers

  init(_ db: Database, _ changeset: Changeset, _ former: RecordedNumbers) {
    (self.db, self.changeset, self.former) = (db, changeset, former)
    var numbers = NumberChanges(changeset.formerNumbers)
    for element in changeset.elements { numbers.add(element) }
    self.numbers = numbers
  }

  /// Gives the numbers of the changeset their values.
  func apply() throws {
    for element in numbers.all {
      switch element {
      case .counter(let databaseName, let tableName, let value):
        try checkDatabaseName(databaseName)
        let former: Int64??
        if case .counter(_, _, let known)? = numbers.former(of: element) { former = .some(known) } else { former = nil }
        try setCounter(of: TableKey(tableName, in: databaseName), to: value, former: former)
      case .userVersion(let databaseName, let value):
        try checkDatabaseName(databaseName)
        try db.execute(sql: "PRAGMA \(databaseName.quotedDatabaseIdentifier).user_version = \(value)")
      case .row, .schema, .unknownRows, .notification: break
      }
    }
  }

  /// Gives all counters the values that they had before rows were applied. SQLite increases a counter if an inserted
  /// row has a greater row ID; the row may have got its row ID by an update.
  func restoreCounters(_ counters: RecordedNumbers, in databaseNames: [String]? = nil) throws {
    for case .counter(let databaseName, let tableName, let value) in try RecordedNumbers(db, in: databaseNames)
      .changes(since: counters).former
    {
      try write(value, of: TableKey(tableName, in: databaseName))
    }
  }

  /// Gives all numbers of the main database the values that they had where the changes were recorded.
  func applyExactly() throws {
    try restoreCounters(former, in: ["main"])
    for element in numbers.all {
      switch element {
      case .counter(let databaseName, let tableName, let value):
        try write(value, of: TableKey(tableName, in: databaseName))
      case .userVersion(_, let value): try db.execute(sql: "PRAGMA main.user_version = \(value)")
      case .row, .schema, .unknownRows, .notification: break
      }
    }
  }

  /// Throws an error for a name that SQL cannot contain.
  private func checkDatabaseName(_ name: String) throws {
    if name.utf8.contains(0) {
      throw ChangesetError(
        .schemaMismatch, "the changeset changes database \(name.debugDescription), which does not exist")
    }
  }

  /// Sets a counter. If it was not as expected, it is only increased: row IDs that were used remain used.
  private func setCounter(of key: TableKey, to value: Int64?, former: Int64??) throws {
    let isExpected = former.map { $0 == self.former.counter(of: key) } ?? false
    if !isExpected {
      let now = try RecordedNumbers(db, in: [key.database]).counter(of: key)
      guard let value, now.map({ $0 < value }) ?? true else { return }
    }
    try write(value, of: key)
  }

  private func write(_ value: Int64?, of key: TableKey) throws {
    guard try db.openHandle().hasTable("sqlite_sequence", in: key.database) else { return }
    let sequence = "\(key.database.quotedDatabaseIdentifier).sqlite_sequence"
    let table = try db.catalogTable(key.name, in: key.database)
    let name = table?.name ?? key.name
    guard let value else {
      return try db.execute(sql: "DELETE FROM \(sequence) WHERE name = ?", arguments: [name])
    }
    guard table?.declaresCounter == true else { return }
    try db.execute(sql: "UPDATE \(sequence) SET seq = ? WHERE name = ?", arguments: [value, name])
    if db.changesCount == 0 {
      try db.execute(sql: "INSERT INTO \(sequence) (name, seq) VALUES (?, ?)", arguments: [name, value])
    }
  }
}
