import Tidemark

/// A row of values that is inserted.
struct InsertedRow: Sendable {
  /// The name of the table, quoted.
  let table: String
  let onConflict: OnConflict?
  let setters: [Setter]

  /// Nil when the insert is more than that: it has tables in front of it, expressions as values, or no values.
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

/// The text of the row that a connection has inserted last: the next one is most often like it.
final class InsertionText: CachedPlan {
  private let table: String
  private let onConflict: OnConflict?
  private let columns: [String]

  /// The text.
  let sql: String

  init(_ row: InsertedRow) {
    table = row.table
    onConflict = row.onConflict
    columns = row.setters.map(\.column.template)
    sql = row.text.template
  }

  /// Whether a row has the same text.
  func isText(of row: InsertedRow) -> Bool {
    guard columns.count == row.setters.count, onConflict == row.onConflict, table == row.table else { return false }
    for index in columns.indices where columns[index] != row.setters[index].column.template { return false }
    return true
  }
}
