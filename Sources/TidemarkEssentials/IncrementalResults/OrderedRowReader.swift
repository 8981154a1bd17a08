/// Reads the columns that were added to a query: the row IDs, and the values by which the rows are
/// sorted.
@usableFromInline
struct OrderedRowReader {
  /// Thrown if a statement has other columns than expected, because the schema has changed since it was
  /// compiled.
  struct StaleColumns: Error {}

  private let query: IncrementalQuery
  private let columnNames: [String]
  private var hasBegun = false

  /// The rows read so far.
  private(set) var keys: OrderedKeys

  /// Whether all rows were read, in the order of the result.
  private(set) var isComplete = true

  init(_ query: IncrementalQuery, columnNames: [String]) {
    self.query = query
    self.columnNames = columnNames
    keys = OrderedKeys(query.order)
  }

  /// Records the current row of a statement.
  @usableFromInline
  mutating func note(_ statement: Statement) throws {
    if !hasBegun, statement.columnNames != columnNames { throw StaleColumns() }
    hasBegun = true
    guard isComplete else { return }
    guard case .int64(let key) = try statement.currentValue(query.keyColumn)?.storage else {
      isComplete = false
      return
    }
    let values = try query.termColumns.compactMap { try statement.currentValue($0) }
    isComplete = values.count == query.termColumns.count && keys.append(key, values[...])
  }
}

extension Statement {
  /// Nil for a text that the connection refuses: where it stands among others is not known.
  fileprivate func currentValue(_ column: Int) throws -> DatabaseValue? {
    if let value = DatabaseValue.read(sqliteStatement, CInt(column)) { return value }
    if let error = outOfMemoryError() { throw error }
    return nil
  }
}

extension PreparedRequest {
  /// Decodes all elements, and records the rows that they come from.
  @inlinable
  func array<Decoding: RowDecoding>(
    _: Decoding.Type, _ reading: inout OrderedRowReader?
  ) throws -> [Decoding.Element] {
    if reading == nil { return try array(Decoding.self) }
    let cursor = try makeCursor(Decoding.self)
    var elements: [Decoding.Element] = []
    while try cursor.step() {
      try reading?.note(cursor.statement)
      elements.append(try Decoding._decodeCopy(cursor.run.row))
    }
    return elements
  }
}
