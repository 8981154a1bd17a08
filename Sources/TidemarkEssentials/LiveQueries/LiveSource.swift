/// A value of some type, on its way from a source to the observers of the source, and to the closures of the program.
/// It is an object because generic code that is not specialized would cost as much as a fetch for each value: a
/// `Fetched`. It has no protocol, whose witness table would be stored with each reference.
typealias FetchedValue = AnyObject & Sendable

/// The object of a fetched value.
final class Fetched<Value: Sendable>: Sendable {
  private let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// The value in an object that was created with this type.
  static func value(in object: any FetchedValue) -> Value { unsafeDowncast(object, to: Self.self).value }
}

/// The changes that require a fetch of a source.
enum LiveTracking: Sendable {
  /// Changes in the region of the last fetch.
  case readRegion

  /// Changes in the region of the first fetch.
  case initialReadRegion

  /// Changes in given regions.
  case regions([any DatabaseRegionConvertible])
}

/// The data that an observation fetches, and when it is fetched again.
///
/// It is created once for each observation value, and shared by its copies, maps and so on: observations of one
/// source share their fetches. It contains nothing that belongs to a database.
protocol LiveSource: AnyObject, Sendable {
  var tracking: LiveTracking { get }

  /// Whether it fetches only the changed rows, where possible.
  var isIncremental: Bool { get }

  /// Whether it needs the database version of its snapshot.
  var reportsVersion: Bool { get }

  /// Returns a `Fetched` of the type that the observers of the source expect.
  ///
  /// - Parameter snapshotChanges: For sources that are updated row by row. By default, nothing is known.
  func fetch(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> any FetchedValue
}

extension LiveSource {
  /// The facts about the query of the source in a database.
  func facts(requiresWriteAccess: Bool) -> LiveQuery.Facts {
    let tracksEachFetch = if case .readRegion = tracking { true } else { false }
    return LiveQuery.Facts(
      key: LiveQueryKey(self, requiresWriteAccess: requiresWriteAccess), tracksEachFetch: tracksEachFetch,
      isIncremental: isIncremental, reportsVersion: reportsVersion)
  }
}

/// A started observation, as the engine sees it. It receives the values of one source.
protocol LiveObserver: AnyObject, Sendable {
  var events: ObservationEvents { get }

  /// How a fetch is retried after a transient error; nil if it is not.
  var retry: RetryPolicy? { get }

  /// Whether it needs nothing any more.
  var isEnded: Bool { get }

  /// Receives a result. The fetches of an observation are sequential.
  ///
  /// - Returns: Whether there is a value to deliver.
  func receive(_ fetched: any FetchedValue) -> Bool

  /// Ends the observation because of an error.
  func fail(_ error: any Error)
}

/// A source of values of a known type.
final class ValueSource<Value: Sendable>: LiveSource {
  let tracking: LiveTracking
  let isIncremental: Bool
  let reportsVersion: Bool
  private let closure: Closure

  // There may be many: the program's closure is stored directly, and not in another closure.
  private enum Closure {
    case whole(@Sendable (Database) throws -> Value)
    case updating(@Sendable (Database, SnapshotChanges) throws -> Value)
  }

  private init(_ tracking: LiveTracking, isIncremental: Bool, reportsVersion: Bool, _ closure: Closure) {
    self.tracking = tracking
    self.isIncremental = isIncremental
    self.reportsVersion = reportsVersion
    self.closure = closure
  }

  convenience init(_ tracking: LiveTracking, _ fetch: @escaping @Sendable (Database) throws -> Value) {
    self.init(tracking, isIncremental: false, reportsVersion: false, .whole(fetch))
  }

  /// Creates a source that is updated row by row, for the rows of a region.
  convenience init(
    incrementallyTracking region: any DatabaseRegionConvertible,
    _ fetch: @escaping @Sendable (Database, SnapshotChanges) throws -> Value
  ) {
    self.init(.regions([region]), isIncremental: true, reportsVersion: false, .updating(fetch))
  }

  /// The same source, with the database versions of its values.
  convenience init<Base: Sendable>(addingVersionsTo source: ValueSource<Base>) where Value == Versioned<Base> {
    self.init(
      source.tracking, isIncremental: source.isIncremental, reportsVersion: true,
      .updating { db, changes in
        Versioned(value: try source.value(db, changes), version: changes.version)
      })
  }

  private func value(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> Value {
    switch closure {
    case .whole(let fetch): try fetch(db)
    case .updating(let fetch): try fetch(db, snapshotChanges)
    }
  }

  func fetch(_ db: Database, _ snapshotChanges: SnapshotChanges) throws -> any FetchedValue {
    Fetched(try value(db, snapshotChanges))
  }
}
