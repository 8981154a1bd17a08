import Tidemark

/// A row of values to insert.
struct InsertedRow: Sendable {
  /// The name of the table, in quotes.
  let table: String
  let onConflict: OnConflict?

  /// The names of the columns, in quotes, and their values.
  private(set) var columns: [String] = []
  private(set) var values: [DatabaseValue] = []

  /// Returns nil if the insertion has common table expressions, expressions instead of values, or no values.
  ///
  /// - Parameters:
  ///   - first: The first assignment; nil if `others` contains all of them. Joining them in an array would copy them.
  ///   - others: The other assignments.
  init?(_ clauses: QueryClauses, _ onConflict: OnConflict?, _ first: Setter?, _ others: [Setter]) {
    guard first != nil || !others.isEmpty, clauses.commonTables.isEmpty else { return nil }
    table = clauses.source.qualifiedName
    self.onConflict = onConflict
    let count = others.count + (first == nil ? 0 : 1)
    columns.reserveCapacity(count)
    values.reserveCapacity(count)
    if let first, !add(first) { return nil }
    for setter in others where !add(setter) { return nil }
  }

  private mutating func add(_ setter: borrowing Setter) -> Bool {
    guard case .value(let value) = setter.content, setter.column.bindings.isEmpty else { return false }
    columns.append(setter.column.template)
    values.append(DatabaseValue(value))
    return true
  }

  /// `INSERT INTO "table" ("a", "b") VALUES (?, ?)`
  var text: SQLExpression<Void> {
    var writer = SQLWriter(capacity: 160)
    writer.writeInsertion(into: table, onConflict)
    writer.write(" (")
    for (index, column) in columns.enumerated() {
      if index > 0 { writer.write(", ") }
      writer.write(column)
    }
    writer.write(") VALUES (")
    for (index, value) in values.enumerated() {
      if index > 0 { writer.write(", ") }
      writer.writeParameter(value.binding)
    }
    writer.write(")")
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
    columns = row.columns
    sql = row.text.template
  }

  /// Returns whether the insertion of a row has the same SQL.
  func isText(of row: InsertedRow) -> Bool {
    onConflict == row.onConflict && table.isSameText(as: row.table)
      && columns.elementsEqual(row.columns) { $0.isSameText(as: $1) }
  }
}

/// The name of a column as the key of a dictionary: SQLite compares the bytes of names.
struct ColumnName: Hashable {
  let text: String

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.isSameText(as: rhs.text) }
  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
