/// The transactions of a change feed after a position, as an asynchronous sequence: those that were stored before, and
/// then each new one.
///
/// ```swift
/// let token = try await dbPool.read { db in try db.changeToken() }
/// for try await entry in try await dbPool.changes(after: token) {
///   for change in entry.changes.rows {
///     print(change)    // UPDATE player [1]: score 10 → 20
///   }
/// }
/// ```
///
/// The transactions of all processes are delivered in the order of their commits, each once. Transactions of programs
/// that do not write the feed appear as unknown changes: see ``TransactionChanges/Reason/unknown``. The versions in
/// ``TransactionChanges/versions`` belong to the feed.
///
/// The stream buffers nothing, and a slow consumer delays no writer. If it is so slow that transactions are removed
/// from the feed before it has read them, it ends with ``ChangeFeedError/expired(oldest:)``. It also ends with an error
/// if the database is closed, restored or replaced.
///
/// A stream has one consumer: concurrent iterations share the transactions. When the task of an iteration is cancelled,
/// the iteration ends, and another one can continue.
public struct ChangeFeedStream: AsyncSequence, Sendable {
  /// A transaction, and the position after it.
  public typealias Element = ChangeFeedEntry

  /// The iterator.
  public typealias AsyncIterator = Iterator

  fileprivate let consumer: ChangeFeedConsumer

  /// Returns an iterator, which continues where former ones have ended.
  public func makeAsyncIterator() -> Iterator { Iterator(consumer: consumer) }

  /// The iterator of the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: ChangeFeedConsumer

    /// Returns the next transaction; nil if the task is cancelled.
    ///
    /// - Throws: The error that ends the stream: a ``ChangeFeedError`` or a `DatabaseError`.
    public mutating func next() async throws -> ChangeFeedEntry? { try await consumer.next() }
  }
}

extension DatabaseWriter {
  /// Returns the transactions that the change feed contains after a position, and then each new one.
  ///
  /// ```swift
  /// let token = try await dbPool.read { db in try db.changeToken() }
  /// for try await entry in try await dbPool.changes(after: token, in: Player.all()) {
  ///   print(entry.changes)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - token: The position; nil to begin with the first transaction that is kept.
  ///   - regions: The regions whose changes are delivered: tables, requests, or others. Without regions, all changes.
  /// - Returns: The transactions.
  /// - Throws: A ``ChangeFeedError`` without a feed, or if the token has expired or belongs to another history; the
  ///   errors of `read`; and an error if a region cannot be resolved.
  public func changes(
    after token: ChangeToken?, in regions: any DatabaseRegionConvertible...
  ) async throws -> ChangeFeedStream {
    try await changes(after: token, in: regions)
  }

  /// Returns the transactions that the change feed contains after a position, and then each new one.
  ///
  /// - Parameters:
  ///   - token: The position; nil to begin with the first transaction that is kept.
  ///   - regions: The regions whose changes are delivered. If the list is empty, all changes.
  /// - Returns: The transactions.
  /// - Throws: A ``ChangeFeedError`` without a feed, or if the token has expired or belongs to another history; the
  ///   errors of `read`; and an error if a region cannot be resolved.
  public func changes(
    after token: ChangeToken?, in regions: [any DatabaseRegionConvertible]
  ) async throws -> ChangeFeedStream {
    let core = _core
    let consumer = ChangeFeedConsumer(.regions(regions), in: core)
    try await core.read(isolated: true) { try consumer.start($0, after: token) }
    return ChangeFeedStream(consumer: consumer)
  }

  /// Returns the transactions that a named consumer has not acknowledged, and then each new one.
  ///
  /// ```swift
  /// for try await entry in try await dbPool.changes(for: "mail") {
  ///   print(entry.changes)
  ///   try await dbPool.write { db in try db.acknowledge(entry.token, by: "mail") }
  /// }
  /// ```
  ///
  /// A program that stops between the two calls prints the changes again: an effect outside of the database takes place
  /// at least once. See ``Database/acknowledge(_:by:)`` for effects in the database.
  ///
  /// - Parameters:
  ///   - consumer: The name of the consumer.
  ///   - regions: The regions whose changes are delivered: tables, requests, or others. Without regions, all changes.
  /// - Returns: The transactions.
  /// - Throws: A ``ChangeFeedError`` if the consumer is unknown, or if its position has expired or belongs to another
  ///   history; the errors of `read`; and an error if a region cannot be resolved.
  public func changes(
    for consumer: String, in regions: any DatabaseRegionConvertible...
  ) async throws -> ChangeFeedStream {
    try await changes(for: consumer, in: regions)
  }

  /// Returns the transactions that a named consumer has not acknowledged, and then each new one.
  ///
  /// - Parameters:
  ///   - consumer: The name of the consumer.
  ///   - regions: The regions whose changes are delivered. If the list is empty, all changes.
  /// - Returns: The transactions.
  /// - Throws: A ``ChangeFeedError`` if the consumer is unknown, or if its position has expired or belongs to another
  ///   history; the errors of `read`; and an error if a region cannot be resolved.
  public func changes(
    for consumer: String, in regions: [any DatabaseRegionConvertible]
  ) async throws -> ChangeFeedStream {
    let core = _core
    let feedConsumer = ChangeFeedConsumer(.regions(regions), in: core)
    try await core.read(isolated: true) { db in
      guard let token = try db.acknowledgedToken(by: consumer) else { throw ChangeFeedError.unknownConsumer(consumer) }
      try feedConsumer.start(db, after: token)
    }
    return ChangeFeedStream(consumer: feedConsumer)
  }
}
