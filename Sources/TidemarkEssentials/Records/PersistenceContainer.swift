/// What a record stores: its columns and their values.
///
/// A record fills one in `encode(to:)`:
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
/// Columns keep the order in which they were given their first value; that is the order of `INSERT`. Case does not
/// count, and the first spelling of a name stays.
///
/// Records of a type most often have the same columns in the same order. So a container is told the columns of the one
/// before, and as long as it repeats them, they are compared and not stored.
public struct PersistenceContainer: Sendable {
  /// The names of the columns.
  private enum Names {
    /// Those of an earlier container, as many as there are values.
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

  /// Whether the container repeats an earlier one from the first column to the last.
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

  /// The value of a column, or nil when the record stores none. Case does not count.
  ///
  /// nil, when it is set, is NULL.
  @inlinable
  @_disfavoredOverload
  public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
    get { storedValue(of: column) }
    set { store(newValue?.databaseValue ?? .null, in: column) }
  }

  /// The value of a column, or nil when the record stores none. Case does not count.
  ///
  /// nil, when it is set, is NULL.
  @inlinable
  @_disfavoredOverload
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { storedValue(of: column.name) }
    set { store(newValue?.databaseValue ?? .null, in: column.name) }
  }

  /// The value of a column, or nil when there is no such column.
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

  /// Replaces the value of a column that is there.
  mutating func replaceValue(at index: Int, with value: DatabaseValue) { values[index] = value }

  private func index(of column: String) -> Int? {
    switch names {
    case .based(let columns): columns.names[..<values.count].index(ofColumn: column)
    case .own(let names): names[...].index(ofColumn: column)
    }
  }
}

extension ArraySlice<String> {
  /// Where a column is among others, which differ as SQLite has it: the case of the letters from A to Z does not count.
  func index(ofColumn column: String) -> Int? {
    if let index = firstIndex(of: column) { return index }
    let name = column.asciiLowercased
    return firstIndex { $0.asciiLowercased == name }
  }
}

// A value whose type is known needs no box on its way: that is half the time of encoding a record.
extension PersistenceContainer {
  /// The value of a column as it was stored, or nil when it is NULL, of another type, or missing. Case does not count.
  ///
  /// nil, when it is set, is NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
    get { storedValue(of: column).flatMap { $0.isNull ? nil : Value.fromDatabaseValue($0) } }
    set { store(newValue?.databaseValue ?? .null, in: column) }
  }

  /// The value of a column as it was stored, or nil when it is NULL, of another type, or missing. Case does not count.
  ///
  /// nil, when it is set, is NULL.
  @inlinable
  public subscript<Value: DatabaseValueConvertible>(_ column: some ColumnExpression) -> Value? {
    get { storedValue(of: column.name).flatMap { $0.isNull ? nil : Value.fromDatabaseValue($0) } }
    set { store(newValue?.databaseValue ?? .null, in: column.name) }
  }
}

// MARK: - Columns in order

extension PersistenceContainer: RandomAccessCollection {
  /// A position among the columns.
  public typealias Index = Int

  /// Whether nothing is stored.
  public var isEmpty: Bool { values.isEmpty }

  /// The first column.
  public var startIndex: Int { 0 }

  /// The position after the last column.
  public var endIndex: Int { values.count }

  /// The name of a column, and its value.
  public subscript(_ position: Int) -> (String, DatabaseValue) {
    switch names {
    case .based(let columns): (columns.names[position], values[position])
    case .own(let names): (names[position], values[position])
    }
  }
}
