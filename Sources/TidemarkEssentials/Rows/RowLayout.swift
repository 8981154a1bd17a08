/// How an adapter shows the columns of a statement: which, under what names, and which scopes.
///
/// You do not make layouts: row adapters do.
public struct RowLayout: Sendable {
  /// The columns that show.
  @usableFromInline let columns: ColumnNames

  /// For each of them, the column of the statement.
  @usableFromInline let mapping: [Int]

  /// The scopes, by name.
  var scopes: [String: RowLayout]

  init(columns: ColumnNames, mapping: [Int], scopes: [String: RowLayout] = [:]) {
    self.columns = columns
    self.mapping = mapping
    self.scopes = scopes
  }

  /// All columns, as they are.
  init(_ columns: ColumnNames) {
    self.init(columns: columns, mapping: Array(0..<columns.count))
  }

  /// Some of the columns.
  func selecting(_ indexes: some Sequence<Int>) -> RowLayout {
    let indexes = Array(indexes)
    return RowLayout(
      columns: ColumnNames(indexes.map { columns.names[$0] }), mapping: indexes.map { mapping[$0] })
  }
}
