// What is printed around the statements of records.

/// Some SQL, and the values of its parameters.
struct RecordClause {
  var sql: String
  var values: [DatabaseValue]
}

extension RecordPlan {
  /// `RETURNING *`, after a blank.
  func returningClause(_ selection: [any SQLSelectable], _ db: Database) throws -> RecordClause {
    var printer = SQLPrinter()
    for (index, selectable) in selection.enumerated() {
      printer.print(SQL(sql: index == 0 ? " RETURNING " : ", "))
      printer.print(selectable.sqlSelection)
    }
    return RecordClause(sql: printer.sql, values: printer.arguments.values)
  }
}

/// What an insertion does where it meets a row of the same key.
struct Upsertion {
  /// The columns of the unique key whose conflicts are meant; none for those of all keys.
  var conflictTarget: [String] = []

  /// What the row is given. A column that is not named here takes the value that would have been inserted.
  var assignments: [ColumnAssignment] = []

  /// `ON CONFLICT("name") DO UPDATE SET "score" = "excluded"."score"`, after a blank.
  func clause(_ plan: RecordPlan, _ columns: [String], _ db: Database) throws -> RecordClause {
    let key = try plan.key().columns
    let named = Set((key + conflictTarget + assignments.map(\.columnName)).map { $0.lowercased() })
    let others = columns.filter { !named.contains($0.lowercased()) }
    var set = assignments.compactMap { assignment in
      assignment.value.map { SQL("\(identifier: assignment.columnName) = \($0)") }
    }
    set += others.map { SQL("\(identifier: $0) = \(identifier: "excluded").\(identifier: $0)") }
    // Something has to be updated, or SQLite would return no row.
    if set.isEmpty { set = [SQL("\(identifier: key[0]) = \(identifier: key[0])")] }
    var literal = SQL(" ON CONFLICT")
    if !conflictTarget.isEmpty {
      literal += SQL("(\(sql: conflictTarget.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))")
    }
    literal += SQL(" DO UPDATE SET ") + set.joined(separator: ", ")
    let (sql, arguments) = try literal.build(db)
    return RecordClause(sql: sql, values: arguments.values)
  }
}
