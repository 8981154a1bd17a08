/// A part of a database: nothing, the full database, or some columns and rows of some tables.
///
/// The region of a query determines whether a change may modify its result:
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT title FROM book")
/// print(statement.databaseRegion)    // book(title)
/// ```
///
/// The empty region is not modified by any change. The full database is modified by every change.
public struct DatabaseRegion: Sendable, Equatable {
  /// The tables, which have nonempty regions; nil for the full database.
  private(set) var tables: [TableKey: TableRegion]?

  /// Creates the empty region.
  public init() {
    tables = [:]
  }

  init(tables: [TableKey: TableRegion]?) {
    self.tables = tables?.filter { !$0.value.isEmpty }
  }

  /// The region that includes all tables of the database.
  public static let fullDatabase = DatabaseRegion(tables: nil)

  /// Whether the region is empty.
  public var isEmpty: Bool { tables?.isEmpty == true }

  /// Whether the region includes the full database.
  public var isFullDatabase: Bool { tables == nil }
}
