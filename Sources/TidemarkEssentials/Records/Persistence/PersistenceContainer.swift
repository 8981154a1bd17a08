/// The encoded columns and values of a record.
///
/// A record fills the container in ``EncodableRecord/encode(to:)``:
///
/// ```swift
/// extension Player: EncodableRecord {
///   func encode(to container: inout PersistenceContainer) {
///     container["id"] = id
///     container["name"] = name
///   }
/// }
/// ```
///
/// Columns keep the order in which they were first set, which is their order in `INSERT` statements. Names are
/// case-insensitive, and the first spelling is kept.
///
/// Records of one type usually have the same columns in the same order. So a new container receives the column names of
/// the previous one. While the columns repeat, they are compared and not stored.
public struct PersistenceContainer: Sendable {
  /// The names of the columns.
  private enum Names {
    /// The names of an earlier container, of which this container uses as many as it has values.
    case based(ColumnNames)
    case own([String])
  }

  private var names: Names

  /// The values, in the order of the columns.
  @usableFromInline var arguments: StatementArguments
  var values: PackedValues { arguments.values }

  /// The encoder of `Encodable` records that was used last; see `takeEncoder`.
  var encoder: RecordEncoder.Reusable?

  init(basedOn columns: ColumnNames? = nil, encoder: RecordEncoder.Reusable? = nil) {
    self.encoder = encoder
    names = columns.map { .based($0) } ?? .own([])
    arguments = StatementArguments(values: PackedValues(capacity: columns?.count ?? 0))
  }

  /// Removes and returns the encoder, unless a copy of the container has it, too.
  mutating func takeEncoder() -> RecordEncoder.Reusable? {
    defer { encoder = nil }
    return isKnownUniquelyReferenced(&encoder) ? encoder : nil
  }

  /// Whether the container has exactly the columns of the earlier container.
  @inline(__always)
  func isComplete(_ columns: ColumnNames) -> Bool {
    if case .based(let based) = names { based === columns && values.count == columns.count } else { false }
  }

  /// The names of the columns.
  var columnNames: [String] {
    switch names {
    case .based(let columns): Array(columns.names[..<values.count])
    case .own(let names): names
    }
  }

  /// The value of a column, or nil if the container has no such column. Column names are case-insensitive.
  ///
  /// Setting nil stores NULL.
  @inlinable
  @_disfavoredOverload
  public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
    get { storedValue(of: column) }
    set { if let newValue { store(newValue, in: column) } else { storeNull(in: column) } }
  }

  /// The value of a column, or nil if the container has no such column. Column names are case-insensitive.
  ///
  /// Setting nil stores NULL.
  @inlinable
  @_disfavoredOverload
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { storedValue(of: column.name) }
    set { if let newValue { store(newValue, in: column.name) } else { storeNull(in: column.name) } }
  }

  /// Returns the value of a column, or nil if the container does not have the column.
  @usableFromInline
  func storedValue(of column: String) -> DatabaseValue? { index(of: column).map { values[$0] } }

  @inlinable
  mutating func store<Value: DatabaseValueConvertible>(_ value: Value, in column: String) {
    if isNext(column) { value._append(to: &arguments) } else { storeSlowly(value.databaseValue, in: column) }
  }

  @usableFromInline
  mutating func storeNull(in column: String) {
    if isNext(column) { arguments.values.appendNull() } else { storeSlowly(.null, in: column) }
  }

  /// Whether the column has the next name of the earlier container.
  @usableFromInline
  func isNext(_ column: String) -> Bool {
    guard case .based(let columns) = names else { return false }
    let next = values.count
    return next < columns.count && columns.names[next] == column
  }

  @usableFromInline
  mutating func storeSlowly(_ value: DatabaseValue, in column: String) {
    if let index = index(of: column) { return replaceValue(at: index, with: value) }
    names = .own(columnNames + [column])
    arguments.values.append(value)
  }

  /// Replaces the value of an existing column.
  mutating func replaceValue(at index: Int, with value: DatabaseValue) {
    arguments.values.replaceValue(at: index, with: value)
  }

  private func index(of column: String) -> Int? {
    switch names {
    case .based(let columns): columns.names[..<values.count].index(ofColumn: column)
    case .own(let names): names[...].index(ofColumn: column)
    }
  }
}

extension ArraySlice<String> {
  /// Returns the index of a column name. As in SQLite, only the case of ASCII letters is ignored.
  func index(ofColumn column: String) -> Int? {
    if let index = firstIndex(of: column) { return index }
    let name = column.asciiLowercased
    return firstIndex { $0.asciiLowercased == name }
  }
}

// A value of a known type needs no existential container. This halves the time to encode a record.
extension PersistenceContainer {
  /// The value of a column as it was stored. It is nil if the value is NULL, missing or of another type. Column names
  /// are case-insensitive.
  ///
  /// Setting nil stores NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
    get { storedValue(of: column).flatMap { $0.isNull ? nil : Value.fromDatabaseValue($0) } }
    set { if let newValue { store(newValue, in: column) } else { storeNull(in: column) } }
  }

  /// The value of a column as it was stored. It is nil if the value is NULL, missing or of another type. Column names
  /// are case-insensitive.
  ///
  /// Setting nil stores NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value? {
    get { storedValue(of: column.name).flatMap { $0.isNull ? nil : Value.fromDatabaseValue($0) } }
    set { if let newValue { store(newValue, in: column.name) } else { storeNull(in: column.name) } }
  }
}

// MARK: - Columns in order

extension PersistenceContainer: RandomAccessCollection {
  /// The index of a column.
  public typealias Index = Int

  /// Whether the container has no columns.
  public var isEmpty: Bool { values.isEmpty }

  /// The index of the first column.
  public var startIndex: Int { 0 }

  /// The index after the last column.
  public var endIndex: Int { values.count }

  /// The name and the value of a column.
  public subscript(_ position: Int) -> (String, DatabaseValue) {
    switch names {
    case .based(let columns): (columns.names[position], values[position])
    case .own(let names): (names[position], values[position])
    }
  }
}
