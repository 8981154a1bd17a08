/// What an observation fetches, and how one knows when to fetch again.
///
/// It is made once for each observation value, which hands it on to its copies, maps and so on: observations of one
/// source fetch together. It holds nothing that belongs to a database.
class AnyLiveSource: @unchecked Sendable {
  /// How one knows when to fetch.
  enum Tracking: Sendable {
    /// When what the last fetch has read changes.
    case whatIsRead

    /// When what the first fetch has read changes.
    case whatIsReadFirst

    /// When some regions change.
    case regions([any DatabaseRegionConvertible])
  }

  let tracking: Tracking

  /// Whether it fetches nothing but the rows that have changed, where it can.
  let followsRows: Bool

  /// Whether it has to know which commit its state is of.
  let tellsCommits: Bool

  init(_ tracking: Tracking, followsRows: Bool = false, tellsCommits: Bool = false) {
    self.tracking = tracking
    self.followsRows = followsRows
    self.tellsCommits = tellsCommits
  }

  /// Fetches, and answers how to hand over what was fetched to an observer: it answers whether there is a value to
  /// deliver.
  ///
  /// - parameter news: For sources that follow rows. By default, nothing is known.
  func fetch(_ db: Database, _ news: StateNews) throws -> @Sendable (AnyLiveObserver) -> Bool {
    preconditionFailure("To be overridden")
  }
}

/// A source of values of some type.
final class LiveSource<Fetched: Sendable>: AnyLiveSource, @unchecked Sendable {
  private let fetched: @Sendable (Database, StateNews) throws -> Fetched

  init(_ tracking: Tracking, _ fetch: @escaping @Sendable (Database) throws -> Fetched) {
    fetched = { db, _ in try fetch(db) }
    super.init(tracking)
  }

  /// A source that follows the rows of a region.
  init(
    followingRowsOf region: any DatabaseRegionConvertible,
    _ fetch: @escaping @Sendable (Database, StateNews) throws -> Fetched
  ) {
    fetched = fetch
    super.init(.regions([region]), followsRows: true)
  }

  /// The same source, which tells of which commits its values are.
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
