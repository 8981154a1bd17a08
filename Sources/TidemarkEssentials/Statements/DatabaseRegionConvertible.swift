/// A type that stands for a region of a database: what a query reads, a table, everything.
public protocol DatabaseRegionConvertible: Sendable {
  /// The region, in this database.
  func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
  /// Everything in the database.
  public static var fullDatabase: Self { DatabaseRegion.fullDatabase }
}

extension DatabaseRegion: DatabaseRegionConvertible {
  /// Itself.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension Collection<any DatabaseRegionConvertible> {
  /// All of the regions, in a database.
  func union(_ db: Database) throws -> DatabaseRegion {
    try reduce(into: DatabaseRegion()) { region, other in region.formUnion(try other.databaseRegion(db)) }
  }
}

/// A region whose type does not show.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
  private let region: @Sendable (Database) throws -> DatabaseRegion

  /// A region found by a closure.
  public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
    self.region = region
  }

  /// A region of any type.
  public init(_ region: some DatabaseRegionConvertible) {
    self.region = { try region.databaseRegion($0) }
  }

  /// The region, in this database.
  public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}
