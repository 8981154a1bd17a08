/// The data that an observation fetches, and when it is fetched again.
///
/// It is created once for each observation value, and shared by its copies, maps and so on: observations of one
/// source share their fetches. It contains nothing that belongs to a database.
class AnyLiveSource: @unchecked Sendable {
  /// The changes that require a fetch.
  enum Tracking: Sendable {
    /// Changes in the region of the last fetch.
    case readRegion

    /// Changes in the region of the first fetch.
    case initialReadRegion

    /// Changes in given regions.
    case regions([any DatabaseRegionConvertible])
  }

  let tracking: Tracking

  /// Whether it fetches only the changed rows, where possible.
  let isIncremental: Bool

  /// Whether it needs the database version of its snapshot.
  let reportsVersion: Bool

  init(_ tracking: Tracking, isIncremental: Bool = false, reportsVersion: Bool = false) {
    self.tracking = tracking
    self.isIncremental = isIncremental
    self.reportsVersion = reportsVersion
  }

  /// Fetches, and returns a closure that passes the result to an observer: it returns whether there is a value to
  /// deliver.
  ///
  /// - Parameter snapshotChanges: For sources that are updated row by row. By default, nothing is known.
  func fetch(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> @Sendable (AnyLiveObserver) -> Bool {
    preconditionFailure("To be overridden")
  }
}

/// A source of values of a known type.
final class LiveSource<Fetched: Sendable>: AnyLiveSource, @unchecked Sendable {
  private let fetched: @Sendable (Database, SnapshotChanges) throws -> Fetched

  init(_ tracking: Tracking, _ fetch: @escaping @Sendable (Database) throws -> Fetched) {
    fetched = { db, _ in try fetch(db) }
    super.init(tracking)
  }

  /// Creates a source that is updated row by row, for the rows of a region.
  init(
    incrementallyTracking region: any DatabaseRegionConvertible,
    _ fetch: @escaping @Sendable (Database, SnapshotChanges) throws -> Fetched
  ) {
    fetched = fetch
    super.init(.regions([region]), isIncremental: true)
  }

  /// The same source, with the database versions of its values.
  init<Value: Sendable>(addingVersionsTo source: LiveSource<Value>) where Fetched == Versioned<Value> {
    fetched = { Versioned(value: try source.fetched($0, $1), version: $1.version) }
    super.init(source.tracking, isIncremental: source.isIncremental, reportsVersion: true)
  }

  override func fetch(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> @Sendable (AnyLiveObserver) -> Bool
  {
    let value = try fetched(db, snapshotChanges)
    return { observer in
      // Only observers of this type are attached to this source.
      unsafeDowncast(observer, to: LiveObserver<Fetched>.self).receive(value)
    }
  }
}
