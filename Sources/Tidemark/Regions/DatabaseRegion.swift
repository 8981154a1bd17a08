/// A part of a database: nothing, everything, or some columns and rows of some tables.
///
/// It says what a query reads, so that one can tell whether a change may alter its result:
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT title FROM book")
/// print(statement.databaseRegion)    // book(title)
/// ```
///
/// An empty region is modified by no change, the full database by all.
public struct DatabaseRegion: Sendable, Equatable {
  /// The tables, or nil for the full database. No table here has an empty region.
  var tables: [TableName: TableRegion]?

  /// The empty region.
  public init() {
    tables = [:]
  }

  init(tables: [TableName: TableRegion]?) {
    self.tables = tables?.filter { !$0.value.isEmpty }
  }

  /// Everything in the database.
  public static let fullDatabase = DatabaseRegion(tables: nil)

  /// Whether nothing is in the region.
  public var isEmpty: Bool { tables?.isEmpty == true }

  /// Whether everything is in the region.
  public var isFullDatabase: Bool { tables == nil }
}

extension DatabaseRegion {
  /// The name of a table, in which case does not count, as in SQLite.
  struct TableName: Hashable, Sendable {
    let name: String
    private let key: String

    init(_ name: String) {
      self.name = name
      key = name.lowercased()
    }

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.key == rhs.key }
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
  }

  /// A part of a table: the cells where its columns and its rows cross.
  struct TableRegion: Hashable, Sendable {
    /// The columns, in lowercase, with the name they were first given; nil for all.
    var columns: [String: String]?

    /// The row ids; nil for all.
    var rowIDs: Set<Int64>?

    init(columns: (some Sequence<String>)?, rowIDs: Set<Int64>? = nil) {
      self.columns = columns.map { columns in
        Dictionary(columns.map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
      }
      self.rowIDs = rowIDs
    }

    static let all = TableRegion(columns: [String]?.none)

    var isEmpty: Bool { columns?.isEmpty == true || rowIDs?.isEmpty == true }

    static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.rowIDs == rhs.rowIDs && lhs.columns.map { Set($0.keys) } == rhs.columns.map { Set($0.keys) }
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(rowIDs)
      hasher.combine(columns.map { Set($0.keys) })
    }
  }
}
