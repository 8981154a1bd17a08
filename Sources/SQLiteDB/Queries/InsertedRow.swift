import Tidemark

/// A row of values to insert.
struct InsertedRow: Sendable {
  /// The name of the table, in quotes.
  let table: String
  let onConflict: OnConflict?
  let setters: [Setter]

  /// Returns nil if the insertion has common table expressions, expressions instead of values, or no values.
  init?(_ clauses: QueryClauses, _ onConflict: OnConflict?, _ setters: [Setter]) {
    guard !setters.isEmpty, clauses.commonTables.isEmpty else { return nil }
    for setter in setters {
      guard case .value = setter.content, setter.column.bindings.isEmpty else { return nil }
    }
    table = clauses.source.qualifiedName
    self.onConflict = onConflict
    self.setters = setters
  }

  /// `INSERT INTO "table" ("a", "b") VALUES (?, ?)`
  var text: SQLExpression<Void> {
    var writer = SQLWriter(capacity: 160)
    writer.writeInsertion(into: table, onConflict)
    writer.writeRow(setters)
    return writer.expression()
  }
}

/// The SQL of the row that a connection inserted last. The next insertion usually has the same SQL.
final class InsertionText: CachedPlan {
  private let table: String
  private let onConflict: OnConflict?
  private let columns: [String]

  /// The SQL.
  let sql: String

  init(_ row: InsertedRow) {
    table = row.table
    onConflict = row.onConflict
    columns = row.setters.map(\.column.template)
    sql = row.text.template
  }

  /// Returns whether the insertion of a row has the same SQL.
  func isText(of row: InsertedRow) -> Bool {
    guard columns.count == row.setters.count, onConflict == row.onConflict, table == row.table else { return false }
    for index in columns.indices where columns[index] != row.setters[index].column.template { return false }
    return true
  }
}
