/// The data that an observation fetches, and when it is fetched again.
///
/// It is created once for each observation value, and shared by its copies, maps and so on: observations of one
/// source share their fetches. It contains nothing that belongs to a database.
class AnyLiveSource: @unchecked Sendable {
  /// The changes that require a fetch.
  enum Tracking: Sendable {
    /// Changes in the region of the last fetch.
    case whatIsRead

    /// Changes in the region of the first fetch.
    case whatIsReadFirst

    /// Changes in given regions.
    case regions([any DatabaseRegionConvertible])
  }

  let tracking: Tracking

  /// Whether it fetches only the changed rows, where possible.
  let followsRows: Bool

  /// Whether it needs the database version of its snapshot.
  let tellsCommits: Bool

  init(_ tracking: Tracking, followsRows: Bool = false, tellsCommits: Bool = false) {
    self.tracking = tracking
    self.followsRows = followsRows
    self.tellsCommits = tellsCommits
  }

  /// Fetches, and returns a closure that passes the result to an observer: it returns whether there is a value to
  /// deliver.
  ///
  /// - parameter news: For sources that are updated row by row. By default, nothing is known.
  func fetch(_ db: Database, _ news: StateNews) throws -> @Sendable (AnyLiveObserver) -> Bool {
    preconditionFailure("To be overridden")
  }
}

/// A source of values of a known type.
final class LiveSource<Fetched: Sendable>: AnyLiveSource, @unchecked Sendable {
  private let fetched: @Sendable (Database, StateNews) throws -> Fetched

  init(_ tracking: Tracking, _ fetch: @escaping @Sendable (Database) throws -> Fetched) {
    fetched = { db, _ in try fetch(db) }
    super.init(tracking)
  }

  /// Creates a source that is updated row by row, for the rows of a region.
  init(
    followingRowsOf region: any DatabaseRegionConvertible,
    _ fetch: @escaping @Sendable (Database, StateNews) throws -> Fetched
  ) {
    fetched = fetch
    super.init(.regions([region]), followsRows: true)
  }

  /// The same source, with the database versions of its values.
  init<Value: Sendable>(numbering source: LiveSource<Value>) where Fetched == NumberedValue<Value> {
    fetched = { NumberedValue(value: try source.fetched($0, $1), commitNumber: $1.commitNumber) }
    super.init(source.tracking, followsRows: source.followsRows, tellsCommits: true)
  }

  override func fetch(_ db: Database, _ news: StateNews) throws -> @Sendable (AnyLiveObserver) -> Bool {
    let value = try fetched(db, news)
    return { observer in
      // Only observers of this type are attached to this source.
      unsafeDowncast(observer, to: LiveObserver<Fetched>.self).receive(value)
    }
  }
}
