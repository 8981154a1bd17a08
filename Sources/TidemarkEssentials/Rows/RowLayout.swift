/// The columns and scopes that an adapter selects.
///
/// Row adapters create layouts. Programs do not use them.
public struct RowLayout: Sendable {
  /// The visible columns.
  @usableFromInline let columns: ColumnNames

  /// For each visible column, the index of the statement's column.
  @usableFromInline let mapping: [Int]

  /// The scopes, by name.
  var scopes: [String: RowLayout]

  init(columns: ColumnNames, mapping: [Int], scopes: [String: RowLayout] = [:]) {
    self.columns = columns
    self.mapping = mapping
    self.scopes = scopes
  }

  /// Creates a layout with all columns.
  init(_ columns: ColumnNames) {
    self.init(columns: columns, mapping: Array(0..<columns.count))
  }

  /// Returns a layout with some of the columns.
  func selecting(_ indexes: some Sequence<Int>) -> RowLayout {
    let indexes = Array(indexes)
    return RowLayout(
      columns: ColumnNames(indexes.map { columns.names[$0] }), mapping: indexes.map { mapping[$0] })
  }
}
