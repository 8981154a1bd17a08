/// A type that represents a region of a database, such as a query, a table, or the full database.
public protocol DatabaseRegionConvertible: Sendable {
  /// Returns the region in a database.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
  /// The full database.
  public static var fullDatabase: Self { DatabaseRegion.fullDatabase }
}

extension DatabaseRegion: DatabaseRegionConvertible {
  /// Returns the region itself.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension Collection<any DatabaseRegionConvertible> {
  /// The union of the regions, in a database.
  func union(_ db: Database) throws -> DatabaseRegion {
    try reduce(into: DatabaseRegion()) { region, other in region.formUnion(try other.databaseRegion(db)) }
  }
}

/// A type-erased region.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
  private let region: @Sendable (Database) throws -> DatabaseRegion

  /// Creates a region that a closure determines.
  public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
    self.region = region
  }

  /// Creates a type-erased region from a region of any type.
  public init(_ region: some DatabaseRegionConvertible) {
    self.region = { try region.databaseRegion($0) }
  }

  /// Returns the region in a database.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}
