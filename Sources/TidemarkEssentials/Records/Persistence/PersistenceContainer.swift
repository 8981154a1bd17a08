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
  private(set) var values: [DatabaseValue]

  init(basedOn columns: ColumnNames? = nil) {
    names = columns.map { .based($0) } ?? .own([])
    values = []
    if let columns { values.reserveCapacity(columns.count) }
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
    set { store(newValue?.databaseValue ?? .null, in: column) }
  }

  /// The value of a column, or nil if the container has no such column. Column names are case-insensitive.
  ///
  /// Setting nil stores NULL.
  @inlinable
  @_disfavoredOverload
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { storedValue(of: column.name) }
    set { store(newValue?.databaseValue ?? .null, in: column.name) }
  }

  /// Returns the value of a column, or nil if the container does not have the column.
  @usableFromInline
  func storedValue(of column: String) -> DatabaseValue? { index(of: column).map { values[$0] } }

  @usableFromInline
  mutating func store(_ value: consuming DatabaseValue, in column: String) {
    if case .based(let columns) = names {
      let next = values.count
      if next < columns.count, columns.names[next] == column {
        values.append(value)
        return
      }
    }
    storeSlowly(value, in: column)
  }

  private mutating func storeSlowly(_ value: DatabaseValue, in column: String) {
    if let index = index(of: column) {
      values[index] = value
      return
    }
    names = .own(columnNames + [column])
    values.append(value)
  }

  /// Replaces the value of an existing column.
  mutating func replaceValue(at index: Int, with value: DatabaseValue) { values[index] = value }

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
    set { store(newValue?.databaseValue ?? .null, in: column) }
  }

  /// The value of a column as it was stored. It is nil if the value is NULL, missing or of another type. Column names
  /// are case-insensitive.
  ///
  /// Setting nil stores NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value? {
    get { storedValue(of: column.name).flatMap { $0.isNull ? nil : Value.fromDatabaseValue($0) } }
    set { store(newValue?.databaseValue ?? .null, in: column.name) }
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
