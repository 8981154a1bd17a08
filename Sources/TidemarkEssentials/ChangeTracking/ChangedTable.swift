/// A table with changed rows, as it was when its rows changed: see ``ChangedRow``.
///
/// ```swift
/// let player = ChangedTable(
///   name: "player", columnNames: ["id", "name", "score"], primaryKey: [0], rowID: .primaryKey)
/// print(player, player.columnNames)    // player ["id", "name", "score"]
/// ```
public final class ChangedTable: Sendable {
  /// `main`, `temp`, or the name of an attached database.
  public let databaseName: String

  /// The name of the table.
  public let name: String

  /// The names of the stored columns, in the order of the table. Generated columns are left out.
  public let columnNames: [String]

  /// The indexes in `columnNames` of the columns of the primary key, in its order. Empty if there is none.
  public let primaryKey: [Int]

  /// The kind of the row IDs.
  public let rowID: RowID

  /// The kind of the row IDs of a table.
  public enum RowID: UInt8, Sendable, Hashable, CaseIterable {
    /// Nothing: the table is `WITHOUT ROWID`.
    case none = 0

    /// A number that is not a column.
    case hidden = 1

    /// The column that is the primary key: an `INTEGER PRIMARY KEY`.
    case primaryKey = 2
  }

  /// The table with all columns, if changes of some columns were read from SQLite's format; otherwise nil.
  let whole: ChangedTable?

  /// The columns of rows with its values.
  let columns: ColumnNames

  /// Describes a table.
  ///
  /// - Parameters:
  ///   - databaseName: The name of the database.
  ///   - name: The name of the table.
  ///   - columnNames: The names of its stored columns.
  ///   - primaryKey: The indexes of the columns of its primary key.
  ///   - rowID: The kind of the row IDs.
  /// - Precondition: The indexes belong to different columns. A table without row IDs has at least one of them, and
  ///   a table whose primary key is the row ID has exactly one.
  public convenience init(
    databaseName: String = "main", name: String, columnNames: [String], primaryKey: [Int] = [], rowID: RowID = .hidden
  ) {
    self.init(
      databaseName: databaseName, name: name, columnNames: columnNames, primaryKey: primaryKey, rowID: rowID,
      whole: nil)
  }

  /// - Parameter whole: The table with all columns, if these are some of them.
  init(
    databaseName: String, name: String, columnNames: [String], primaryKey: [Int], rowID: RowID, whole: ChangedTable?
  ) {
    precondition(
      Self.isKey(primaryKey, columnCount: columnNames.count, rowID),
      "The primary key of table \(name) must consist of different columns of the table")
    self.databaseName = databaseName
    self.name = name
    self.columnNames = columnNames
    self.primaryKey = primaryKey
    self.rowID = rowID
    self.whole = whole
    columns = ColumnNames(columnNames)
  }

  /// Whether a list of column indexes can be the primary key of a table.
  static func isKey(_ indexes: [Int], columnCount: Int, _ rowID: RowID) -> Bool {
    guard indexes.allSatisfy({ (0..<columnCount).contains($0) }), Set(indexes).count == indexes.count else {
      return false
    }
    return switch rowID {
    case .none: !indexes.isEmpty
    case .hidden: true
    case .primaryKey: indexes.count == 1
    }
  }

  /// The index of the column that is the row ID; nil if there is none.
  var rowIDColumn: Int? { rowID == .primaryKey ? primaryKey[0] : nil }

  /// Returns whether this is the table of a name in the main database, compared as in SQLite.
  func isTable(_ other: String) -> Bool {
    databaseName.asciiLowercased == "main" && name.asciiLowercased == other.asciiLowercased
  }
}

extension ChangedTable: Hashable {
  /// Returns whether two tables have the same names, columns and primary key. Names are compared byte by byte.
  public static func == (lhs: ChangedTable, rhs: ChangedTable) -> Bool {
    lhs === rhs
      || lhs.name.hasSameBytes(as: rhs.name) && lhs.databaseName.hasSameBytes(as: rhs.databaseName)
        && lhs.columnNames.elementsEqual(rhs.columnNames) { $0.hasSameBytes(as: $1) }
        && lhs.primaryKey == rhs.primaryKey && lhs.rowID == rhs.rowID
  }

  /// Hashes the names and the columns.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(databaseName)
    hasher.combine(name)
    hasher.combine(columnNames)
  }
}

extension ChangedTable: CustomStringConvertible {
  /// The name of the table, qualified by its database unless that is the main database.
  public var description: String { databaseName == "main" ? name : "\(databaseName).\(name)" }
}
