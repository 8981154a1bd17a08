// The optional clauses of record statements: selections, `RETURNING` and upserts.

/// An SQL fragment and the values of its parameters.
struct RecordClause {
  var sql: String
  var values: PackedValues
}

extension RecordPlan {
  /// Generates a clause of a statement on the table.
  func clause(_ db: Database, _ print: (inout SQLPrinter) throws -> Void) throws -> RecordClause {
    var printer = SQLPrinter(db)
    try printer.withScope(SQLScope(source: SQLTable(tableName: tableName), isReturning: true), print)
    return RecordClause(sql: printer.sql, values: printer.arguments.values)
  }
}

/// A selection that can be compared: equal values generate the same SQL.
enum SimpleSelection: Equatable {
  case allColumns
  case column(String)
}

extension SQLSelection {
  /// The comparable form of the selection; nil if it is more than `*` or an unqualified column.
  var simple: SimpleSelection? {
    switch node {
    case .allColumns(of: nil): return .allColumns
    case .expression(let expression, name: nil):
      if case .column(let name, of: .currentRelation) = expression.node { return .column(name) }
    case .allColumns, .expression, .literal, .deferred: break
    }
    return nil
  }
}

extension [any SQLSelectable] {
  /// The comparable forms of all selections; nil if one of them has none.
  var simple: [SimpleSelection]? {
    let simple = compactMap { $0.sqlSelection.simple }
    return simple.count == count ? simple : nil
  }

  func isSame(as simple: [SimpleSelection]) -> Bool {
    count == simple.count && indices.allSatisfy { self[$0].sqlSelection.simple == simple[$0] }
  }
}

/// The `ON CONFLICT` clause of an upsert.
struct Upsertion {
  /// The columns of the unique key whose conflicts are resolved. If empty, conflicts of all unique keys are resolved.
  var conflictTarget: [String] = []

  /// Whether columns without an assignment are set to the value from the insertion.
  var strategy = UpsertUpdateStrategy.allColumns

  /// The assignments to the existing row.
  var assignments: [ColumnAssignment] = []

  init() {}

  init<Record>(
    _ conflictTarget: [String], _ strategy: UpsertUpdateStrategy,
    _ assignments: ((TableAlias<Record>) -> [ColumnAssignment])?
  ) {
    self.conflictTarget = conflictTarget
    self.strategy = strategy
    self.assignments = assignments?(TableAlias(name: "excluded")) ?? []
  }

  /// Generates ` ON CONFLICT("name") DO UPDATE SET "score" = "excluded"."score"`, with a leading space.
  func clause(_ plan: RecordPlan, _ columns: [String], _ db: Database) throws -> RecordClause {
    let key = try plan.key().columns
    var set = assignments.filter { $0.value != nil }
    switch strategy {
    case .allColumns:
      let named = Set((key + conflictTarget + assignments.map(\.columnName)).map(\.asciiLowercased))
      let others = columns.filter { !named.contains($0.asciiLowercased) }
      let excluded = TableAliasBase(userName: "excluded")
      set += others.map { Column($0).set(to: excluded[$0]) }
    case .noColumnUnlessSpecified: break
    }
    // `DO UPDATE` requires an assignment: without it, SQLite returns no row.
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
