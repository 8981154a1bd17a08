/// The primary key of a table or view, as returned by ``Database/primaryKey(_:in:)``.
///
/// | Table | `columns` | `rowIDColumn` | `isRowID` |
/// | --- | --- | --- | --- |
/// | `(id INTEGER PRIMARY KEY, title)` | `["id"]` | `"id"` | true |
/// | `(code TEXT PRIMARY KEY)` | `["code"]` | nil | false |
/// | `(a, b, PRIMARY KEY (b, a))` | `["b", "a"]` | nil | false |
/// | `(title)` | `["rowid"]` | nil | true |
public struct PrimaryKeyInfo: Sendable, Equatable {
  /// The columns, in the order of the key. For a table without a primary key, the name of its hidden row ID.
  public let columns: [String]

  /// The declared column that is an alias of the row ID, if there is one.
  public let rowIDColumn: String?

  /// Whether the primary key is the row ID.
  public let isRowID: Bool

  /// Whether rows have row IDs. False for `WITHOUT ROWID` tables and for views.
  let hasRowID: Bool

  /// The declared types of the columns.
  let types: [String]

  /// Returns the column that finds rows at the lowest cost, if a single column identifies them.
  ///
  /// - Parameter rowID: The name of the hidden row ID.
  func fastColumn(rowID: String) -> String? {
    if let rowIDColumn { return rowIDColumn }
    if hasRowID { return rowID }
    return columns.count == 1 ? columns[0] : nil
  }
}

extension PrimaryKeyInfo {
  /// Returns a key that consists of an alias of the row ID.
  static func rowID(_ column: ColumnInfo) -> PrimaryKeyInfo {
    PrimaryKeyInfo(
      columns: [column.name], rowIDColumn: column.name, isRowID: true, hasRowID: true, types: [column.type])
  }

  /// Returns a key that consists of the hidden row ID, under a name.
  static func hiddenRowID(_ name: String) -> PrimaryKeyInfo {
    PrimaryKeyInfo(columns: [name], rowIDColumn: nil, isRowID: true, hasRowID: true, types: ["INTEGER"])
  }

  /// Returns any other key.
  static func regular(_ columns: [ColumnInfo], hasRowID: Bool) -> PrimaryKeyInfo {
    PrimaryKeyInfo(
      columns: columns.map(\.name), rowIDColumn: nil, isRowID: false, hasRowID: hasRowID, types: columns.map(\.type))
  }
}
