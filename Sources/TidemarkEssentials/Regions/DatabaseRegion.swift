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
  private(set) var tables: [TableKey: TableRegion]?

  /// The empty region.
  public init() {
    tables = [:]
  }

  init(tables: [TableKey: TableRegion]?) {
    self.tables = tables?.filter { !$0.value.isEmpty }
  }

  /// Everything in the database.
  public static let fullDatabase = DatabaseRegion(tables: nil)

  /// Whether nothing is in the region.
  public var isEmpty: Bool { tables?.isEmpty == true }

  /// Whether everything is in the region.
  public var isFullDatabase: Bool { tables == nil }
}
