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

  init(_ tracking: Tracking) {
    self.tracking = tracking
  }

  /// Fetches, and answers how to hand over what was fetched to an observer: it answers whether there is a value to
  /// deliver.
  func fetch(_ db: Database) throws -> @Sendable (AnyLiveObserver) -> Bool {
    preconditionFailure("To be overridden")
  }
}

/// A source of values of some type.
final class LiveSource<Fetched: Sendable>: AnyLiveSource, @unchecked Sendable {
  private let fetched: @Sendable (Database) throws -> Fetched

  init(_ tracking: Tracking, _ fetch: @escaping @Sendable (Database) throws -> Fetched) {
    fetched = fetch
    super.init(tracking)
  }

  override func fetch(_ db: Database) throws -> @Sendable (AnyLiveObserver) -> Bool {
    let value = try fetched(db)
    return { observer in
      // Only observers of this type are attached to this source.
      unsafeDowncast(observer, to: LiveObserver<Fetched>.self).receive(value)
    }
  }
}
