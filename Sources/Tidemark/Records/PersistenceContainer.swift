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
  /// The columns of an earlier container, as long as this one repeats their beginning.
  private var followed: ColumnNames?

  /// The columns, when they are others.
  private var ownNames: [String] = []

  /// The values, in the order of the columns.
  private(set) var values: [DatabaseValue]

  init(following columns: ColumnNames? = nil) {
    followed = columns
    values = []
    if let columns { values.reserveCapacity(columns.count) }
  }

  /// Whether the container repeats an earlier one from the first column to the last.
  func isComplete(_ columns: ColumnNames) -> Bool { followed === columns && values.count == columns.count }

  /// The names of the columns.
  var columnNames: [String] {
    followed.map { Array($0.names[..<values.count]) } ?? ownNames
  }

  /// The value of a column, or nil when the record stores none. Case does not count.
  ///
  /// nil, when it is set, is NULL.
  @inlinable
  public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
    get { storedValue(of: column) }
    set { store(newValue?.databaseValue ?? .null, in: column) }
  }

  /// The value of a column, or nil when the record stores none. Case does not count.
  ///
  /// nil, when it is set, is NULL.
  @inlinable
  public subscript(_ column: some ColumnExpression) -> (any DatabaseValueConvertible)? {
    get { storedValue(of: column.name) }
    set { store(newValue?.databaseValue ?? .null, in: column.name) }
  }

  /// The value of a column, or nil when there is no such column.
  @usableFromInline
  func storedValue(of column: String) -> DatabaseValue? { index(of: column).map { values[$0] } }

  @usableFromInline
  mutating func store(_ value: DatabaseValue, in column: String) {
    if let followed {
      let next = values.count
      if next < followed.count, followed.names[next] == column {
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
    if followed != nil {
      ownNames = columnNames
      followed = nil
    }
    ownNames.append(column)
    values.append(value)
  }

  private func index(of column: String) -> Int? {
    if let followed { return followed.index(of: column).flatMap { $0 < values.count ? $0 : nil } }
    if let index = ownNames.firstIndex(of: column) { return index }
    let name = column.asciiLowercased
    return ownNames.firstIndex { $0.asciiLowercased == name }
  }
}

// MARK: - Columns in order

extension PersistenceContainer: RandomAccessCollection {
  /// A position among the columns.
  public typealias Index = Int

  /// The first column.
  public var startIndex: Int { 0 }

  /// The position after the last column.
  public var endIndex: Int { values.count }

  /// The name of a column, and its value.
  public subscript(_ position: Int) -> (String, DatabaseValue) {
    (followed?.names[position] ?? ownNames[position], values[position])
  }
}
