/// The rows of a result, copied from the statement into one array of values.
///
/// The rows of a request with prefetched associations are stored, because other queries complete them before they are
/// decoded. A `Row` object for each of them would double the time (benchmark `associations`), so records are decoded
/// from a window that moves from row to row.
///
/// Do not change stored rows after the first `Row` has been created from them: rows share the array.
@usableFromInline
final class StoredRows {
  /// The columns of the statement.
  let columns: ColumnNames

  let layout: RowLayout?
  let checking: RowChecking?

  private struct Content {
    var count = 0
    var values: [DatabaseValue] = []
  }

  private var content = Content()

  /// The number of rows.
  @usableFromInline var count: Int { content.count }

  /// The values of all rows, row after row.
  var values: [DatabaseValue] { content.values }

  /// The rows that other queries have fetched for these rows.
  let prefetched = PrefetchedTree()

  /// Creates an empty list, for rows with the same columns as the given one.
  init(like row: Row) {
    columns = row.baseColumns
    layout = row.layout
    checking = row.checking
  }

  /// Copies a row.
  ///
  /// - Throws: The error of a column that could not be read (invariant D7).
  func append(_ row: Row) throws {
    for index in 0..<columns.count { content.values.append(try row.storedValue(at: index)) }
    content.count += 1
  }

  /// Returns a value of an adapted row.
  func value(ofRow row: Int, at index: Int) -> DatabaseValue {
    content.values[row * columns.count + (layout?.mapping[index] ?? index)]
  }

  /// The columns of the rows, with their layout.
  var visibleColumns: ColumnNames { layout?.columns ?? columns }

  func row(at index: Int) -> Row { Row(self, at: index, isWindow: false) }

  /// Returns a row that can be moved, and that stores its decoders: call `forgetDecoder` after its use.
  @usableFromInline
  func makeWindow() -> Row {
    let window = Row(self, at: 0, isWindow: true)
    window.reusesDecoder = true
    return window
  }
}

/// Some of the stored rows of a result.
struct RowList {
  let rows: StoredRows

  /// The indexes of the rows in the result.
  let indexes: ArraySlice<Int>

  var count: Int { indexes.count }

  /// Returns a row that keeps its values.
  func row(at position: Int) -> Row { rows.row(at: indexes[indexes.startIndex + position]) }

  /// All rows, as rows that keep their values.
  var copies: [Row] { indexes.map(rows.row) }
}
