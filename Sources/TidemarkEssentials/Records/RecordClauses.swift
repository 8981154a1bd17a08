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

/// A selection that is known by what it names: the SQL of two of them is the same when they are equal.
enum SimpleSelection: Equatable {
  case allColumns
  case column(String)
}

extension SQLSelection {
  /// What is selected, when it is simple.
  var simple: SimpleSelection? {
    switch node {
    case .allColumns(of: nil): return .allColumns
    case .expression(let expression, name: nil):
      if case .column(let name, of: .relationAtHand) = expression.node { return .column(name) }
    case .allColumns, .expression, .literal, .deferred: break
    }
    return nil
  }
}

extension [any SQLSelectable] {
  /// What is selected, when all of it is simple.
  var simple: [SimpleSelection]? {
    let simple = compactMap { $0.sqlSelection.simple }
    return simple.count == count ? simple : nil
  }

  func isSame(as simple: [SimpleSelection]) -> Bool {
    count == simple.count && indices.allSatisfy { self[$0].sqlSelection.simple == simple[$0] }
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
