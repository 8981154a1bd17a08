/// The options of the change feed of a database: see ``Configuration/changeFeed``.
public struct ChangeFeedConfiguration: Sendable, Hashable {
  /// The number of bytes of changes to keep. Older transactions are removed step by step, with later transactions.
  /// Nil for no limit. Default: 64 MB.
  public var keptByteCount: Int?

  /// The age until which transactions are kept. Nil for no limit. Default: nil.
  public var keptAge: Duration?

  /// The number of bytes of changes to keep for named consumers that have not acknowledged them, beyond the limits
  /// above. Nil for no limit. Default: 1 GB.
  ///
  /// A consumer that is further behind finds that its position has expired.
  public var unacknowledgedByteCount: Int?

  /// Creates options.
  ///
  /// - Parameters:
  ///   - keptByteCount: The number of bytes of changes to keep.
  ///   - keptAge: The age until which transactions are kept.
  ///   - unacknowledgedByteCount: The number of bytes of changes to keep for named consumers.
  /// - Precondition: The limits are not negative.
  public init(
    keptByteCount: Int? = 64_000_000, keptAge: Duration? = nil, unacknowledgedByteCount: Int? = 1_000_000_000
  ) {
    precondition(
      (keptByteCount ?? 0) >= 0 && (keptAge ?? .zero) >= .zero && (unacknowledgedByteCount ?? 0) >= 0,
      "The limits of a change feed must not be negative")
    self.keptByteCount = keptByteCount
    self.keptAge = keptAge
    self.unacknowledgedByteCount = unacknowledgedByteCount
  }
}

extension Configuration {
  /// The options of the change feed, or nil for a database without one. Default: nil.
  ///
  /// With a change feed, each transaction also stores its changes, in the same file, so that
  /// `DatabaseWriter.changes(after:in:)` returns them later: after a crash, and in other processes.
  ///
  /// ```swift
  /// var config = Configuration()
  /// config.changeFeed = ChangeFeedConfiguration()
  /// let dbPool = try DatabasePool(path: path, configuration: config)
  /// ```
  ///
  /// All programs that write to the file should use it. Transactions of others are noticed, and reported as unknown
  /// changes. The feed is stored in tables whose names begin with `tidemark_feed`. Connections that only read ignore
  /// the options, and can read the feed.
  public var changeFeed: ChangeFeedConfiguration? {
    get { (writerExtension as? ChangeFeedExtension)?.configuration }
    set { writerExtension = newValue.map(ChangeFeedExtension.init) }
  }
}

/// Begins the change feed on writer connections.
private struct ChangeFeedExtension: WriterExtension, ExternalTransactionsProvider {
  let configuration: ChangeFeedConfiguration

  func begin(on db: Database) throws {
    try db.moduleState(ChangeFeedWriter.self).begin(on: db, configuration)
  }

  func storedChangesReader(_ broker: ChangeBroker) -> any StoredChangesReader { ExternalChangesReader(broker) }

  func externalTransactionsReader(_ broker: ChangeBroker) -> any ExternalTransactionsReader {
    ExternalFeedReader(broker)
  }
}
