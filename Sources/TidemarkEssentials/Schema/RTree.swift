/// The R*Tree module of spatial tables, which find the boxes that intersect other boxes.
///
/// ```swift
/// try db.create(virtualTable: "area", using: RTree()) { t in
///   t.id("id")
///   t.dimension("minX", "maxX")
///   t.dimension("minY", "maxY")
///   t.auxiliaryColumn("name", .text)
/// }
/// try db.execute(sql: "INSERT INTO area VALUES (1, 0, 10, 0, 5, 'park')")
///
/// // The areas that contain a point.
/// let names = try String.fetchAll(
///   db, sql: "SELECT name FROM area WHERE minX <= ? AND maxX >= ? AND minY <= ? AND maxY >= ?",
///   arguments: [3, 3, 4, 4])
/// ```
///
/// Coordinates are 32-bit floating-point numbers: SQLite rounds minimums down and maximums up, so that a stored box
/// contains the original one. Where libsqlite3 was built without R*Trees, creating a table fails with
/// `no such module: rtree`.
public struct RTree: VirtualTableModule {
  /// The type of coordinates.
  public enum Coordinates: Sendable {
    /// 32-bit floating-point numbers: the module `rtree`.
    case float

    /// 32-bit integers: the module `rtree_i32`.
    case int32
  }

  private let coordinates: Coordinates

  /// Creates the module.
  ///
  /// - Parameter coordinates: The type of coordinates.
  public init(_ coordinates: Coordinates = .float) {
    self.coordinates = coordinates
  }

  /// `rtree` or `rtree_i32`.
  public var moduleName: String {
    switch coordinates {
    case .float: "rtree"
    case .int32: "rtree_i32"
    }
  }

  /// Returns an empty definition.
  ///
  /// - Parameter configuration: The options of the table.
  public func makeTableDefinition(configuration: VirtualTableConfiguration) -> RTreeTableDefinition {
    RTreeTableDefinition()
  }

  /// Returns the columns of a table, as SQL.
  ///
  /// - Parameter definition: The definition of the table.
  /// - Parameter db: A database connection.
  /// - Returns: The arguments of the module.
  /// - Precondition: The table has one to five dimensions.
  public func moduleArguments(for definition: RTreeTableDefinition, in db: Database) -> [String] {
    precondition(
      (1...5).contains(definition.dimensions.count),
      "An R*Tree has 1 to 5 dimensions, not \(definition.dimensions.count): call dimension(_:_:) in its definition")
    let coordinates = definition.dimensions.flatMap { [$0.minimum, $0.maximum] }
    let columns = ([definition.idName] + coordinates).map(\.quotedDatabaseIdentifier)
    return columns
      + definition.auxiliaryColumns.map { column in
        "+" + column.name.quotedDatabaseIdentifier + (column.type.map { " \($0)" } ?? "")
      }
  }

  /// Does nothing.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter tableName: The name of the created table.
  /// - Parameter definition: The definition of the table.
  public func database(_ db: Database, didCreate tableName: String, using definition: RTreeTableDefinition) {}
}

/// The definition of an R*Tree.
///
/// You receive one in the closure of `create(virtualTable:options:using:_:)`. See ``RTree``.
public final class RTreeTableDefinition {
  private(set) var idName = "id"
  private(set) var dimensions: [(minimum: String, maximum: String)] = []
  private(set) var auxiliaryColumns: [(name: String, type: String?)] = []

  init() {}

  /// Sets the name of the integer column that identifies the boxes. It is `id` by default.
  ///
  /// - Parameter name: The name of the column.
  public func id(_ name: String) { idName = name }

  /// Adds a dimension: the columns of the smallest and of the greatest coordinate of a box.
  ///
  /// ```swift
  /// t.dimension("minX", "maxX")
  /// ```
  ///
  /// - Parameter minimum: The name of the column of the smallest coordinate.
  /// - Parameter maximum: The name of the column of the greatest coordinate. SQLite refuses a box whose minimum is
  ///   greater than its maximum.
  public func dimension(_ minimum: String, _ maximum: String) { dimensions.append((minimum, maximum)) }

  /// Adds a column with any value, which is stored with the box but cannot be searched by the tree.
  ///
  /// ```swift
  /// t.auxiliaryColumn("name", .text)
  /// ```
  ///
  /// Auxiliary columns follow the coordinates, in whatever order the definition adds them.
  ///
  /// - Parameter name: The name of the column.
  /// - Parameter type: The type of the column.
  public func auxiliaryColumn(_ name: String, _ type: Database.ColumnType? = nil) {
    auxiliaryColumns.append((name, type?.rawValue))
  }
}

@available(*, unavailable)
extension RTreeTableDefinition: Sendable {}
