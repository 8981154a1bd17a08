/// The primary key of a table. See `Database.primaryKey(_:in:)`.
///
/// | Table | `columns` | `rowIDColumn` | `isRowID` |
/// | --- | --- | --- | --- |
/// | `(id INTEGER PRIMARY KEY, title)` | `["id"]` | `"id"` | true |
/// | `(code TEXT PRIMARY KEY)` | `["code"]` | nil | false |
/// | `(a, b, PRIMARY KEY (b, a))` | `["b", "a"]` | nil | false |
/// | `(title)` | `["rowid"]` | nil | true |
public struct PrimaryKeyInfo: Sendable, Equatable {
  /// The columns, in the order of the key. That of a table without primary key is its hidden row id.
  public let columns: [String]

  /// The column that is the row id under another name, if there is one.
  public let rowIDColumn: String?

  /// Whether the primary key is the row id.
  public let isRowID: Bool

  /// Whether the rows have ids; those of a `WITHOUT ROWID` table and those of a view have none.
  let hasRowID: Bool

  /// The types of the columns, as they were declared.
  let types: [String]

  /// The one column by which rows are found fastest, if a single one finds them.
  ///
  /// - parameter rowID: The name of the hidden row id.
  func fastColumn(rowID: String) -> String? {
    if let rowIDColumn { return rowIDColumn }
    if hasRowID { return rowID }
    return columns.count == 1 ? columns[0] : nil
  }
}

extension PrimaryKeyInfo {
  /// A column that is the row id.
  static func rowID(_ column: ColumnInfo) -> PrimaryKeyInfo {
    PrimaryKeyInfo(
      columns: [column.name], rowIDColumn: column.name, isRowID: true, hasRowID: true, types: [column.type])
  }

  /// The hidden row id, under that name.
  static func hiddenRowID(_ name: String) -> PrimaryKeyInfo {
    PrimaryKeyInfo(columns: [name], rowIDColumn: nil, isRowID: true, hasRowID: true, types: ["INTEGER"])
  }

  /// Any other key.
  static func regular(_ columns: [ColumnInfo], hasRowID: Bool) -> PrimaryKeyInfo {
    PrimaryKeyInfo(
      columns: columns.map(\.name), rowIDColumn: nil, isRowID: false, hasRowID: hasRowID, types: columns.map(\.type))
  }
}
