// What is printed around the statements of records.

/// Some SQL, and the values of its parameters.
struct RecordClause {
  var sql: String
  var values: [DatabaseValue]
}

extension RecordPlan {
  /// Prints what belongs to a statement on the table.
  func clause(_ db: Database, _ print: (inout SQLPrinter) throws -> Void) throws -> RecordClause {
    var printer = SQLPrinter(db)
    try printer.withScope(SQLScope(source: SQLTable(tableName: tableName), isReturning: true), print)
    return RecordClause(sql: printer.sql, values: printer.arguments.values)
  }
}

extension SQLSelection {
  /// What tells selections apart that are a column, or all columns; nil for others.
  var simpleName: String? {
    switch node {
    case .allColumns(of: nil): return "*"
    case .expression(let expression, name: nil):
      if case .column(let name, of: .relationAtHand) = expression.node { return name.quotedDatabaseIdentifier }
    case .allColumns, .expression, .literal, .late: break
    }
    return nil
  }
}

/// What an insertion does where it meets a row of the same key.
struct Upsertion {
  /// The columns of the unique key whose conflicts are meant; none for those of all keys.
  var conflictTarget: [String] = []

  /// What the row is given. A column that is not named here takes the value that would have been inserted.
  var assignments: [ColumnAssignment] = []

  init() {}

  init<Record>(_ conflictTarget: [String], _ assignments: ((TableAlias<Record>) -> [ColumnAssignment])?) {
    self.conflictTarget = conflictTarget
    self.assignments = assignments?(TableAlias(name: "excluded")) ?? []
  }

  /// `ON CONFLICT("name") DO UPDATE SET "score" = "excluded"."score"`, after a blank.
  func clause(_ plan: RecordPlan, _ columns: [String], _ db: Database) throws -> RecordClause {
    let key = try plan.key().columns
    let named = Set((key + conflictTarget + assignments.map(\.columnName)).map(\.asciiLowercased))
    let others = columns.filter { !named.contains($0.asciiLowercased) }
    let excluded = TableAliasBase(userName: "excluded")
    var set = assignments.filter { $0.value != nil }
    set += others.map { Column($0).set(to: excluded[$0]) }
    // Something has to be updated, or SQLite would return no row.
    if set.isEmpty { set = [Column(key[0]).set(to: Column(key[0]))] }
    return try plan.clause(db) { printer in
      printer.sql += " ON CONFLICT"
      if !conflictTarget.isEmpty {
        printer.sql += "("
        printer.printList(conflictTarget) { $0.print(identifier: $1) }
        printer.sql += ")"
      }
      printer.sql += " DO UPDATE SET "
      try printer.print(set)
    }
  }
}
