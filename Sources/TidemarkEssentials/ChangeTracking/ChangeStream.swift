/// The transactions of a database that change some regions, as an asynchronous sequence.
///
/// ```swift
/// let changes = try await dbPool.changes(in: Player.all(), Table("team"))
/// for try await transaction in changes {
///   if !transaction.isComplete { print("reload everything") }
///   for change in transaction.rows {
///     print(change)    // UPDATE player [1]: score 10 → 20
///   }
/// }
/// ```
///
/// The stream begins when it is created, and contains each later transaction that changes the regions, in order. It
/// ends when it is released; with an error if the database is closed, or if its file is moved or replaced.
///
/// Commits of other connections and processes are included. Their rows are known if the database has a change feed:
/// see ``Configuration/changeFeed``.
///
/// A consumer that is slower than the writer delays nobody: transactions are buffered, up to a number of bytes. Beyond
/// it, the oldest transactions are dropped, and replaced by one element that says so: see
/// ``TransactionChanges/Reason/missed``.
///
/// A stream has one consumer: concurrent iterations share the transactions. Create a stream for each consumer. When the
/// task of an iteration is cancelled, the iteration ends, and another one can continue.
public struct ChangeStream: AsyncSequence, Sendable {
  /// The changes of a transaction.
  public typealias Element = TransactionChanges

  /// The iterator.
  public typealias AsyncIterator = Iterator

  fileprivate let consumer: ChangeConsumer

  /// Returns an iterator, which continues where former ones have ended.
  public func makeAsyncIterator() -> Iterator { Iterator(consumer: consumer) }

  /// The iterator of the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: ChangeConsumer

    /// Returns the next transaction; nil if the task is cancelled, or after an error.
    ///
    /// - Throws: The error that ends the stream.
    public mutating func next() async throws -> TransactionChanges? { try await consumer.next() }
  }

  /// The limits of a stream.
  public struct Limits: Sendable {
    /// The maximum number of changed rows per transaction. A transaction that changes more rows of the regions is
    /// delivered without rows, for the reason ``TransactionChanges/Reason/tooManyRows``.
    ///
    /// With a maximum above 100,000, a transaction that does not fit in memory is delivered in parts, whatever its
    /// size: elements with the same version, all of which except the last one are
    /// ``TransactionChanges/isContinued``. Its rows are stored in a temporary file until then.
    ///
    /// ```swift
    /// let changes = try dbPool.changes(in: Table("player"), limits: ChangeStream.Limits(rowCount: .max))
    /// ```
    public var rowCount: Int

    /// Whether transactions are delivered in parts.
    var hasParts: Bool { rowCount > ChangeLog.Bound().recordCount }

    /// The number of bytes of the transactions that are buffered. The last transaction is buffered in any case.
    ///
    /// The streams of a database share a buffer, and the greatest of their limits applies.
    public var bufferedByteCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - rowCount: The maximum number of changed rows per transaction. Above 100,000, large transactions are
    ///     delivered in parts.
    ///   - bufferedByteCount: The number of bytes of the transactions that are buffered.
    /// - Precondition: The limits are not negative.
    public init(rowCount: Int = 100_000, bufferedByteCount: Int = 16_000_000) {
      precondition(rowCount >= 0 && bufferedByteCount >= 0, "The limits of a change stream must not be negative")
      self.rowCount = rowCount
      self.bufferedByteCount = bufferedByteCount
    }
  }
}

extension DatabaseWriter {
  /// Returns the transactions that change some regions, from now on.
  ///
  /// ```swift
  /// let changes = try await dbPool.changes(in: Table("player"))
  /// for try await transaction in changes {
  ///   for change in try transaction.changes(of: Player.self) {
  ///     print(change.operation, change.newRecord?.name ?? "")
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - regions: The regions: tables, requests, or others. Without regions, all changes.
  ///   - limits: The limits of the stream.
  /// - Returns: The transactions that are committed after this method has returned, and perhaps some that were
  ///   committed immediately before.
  /// - Throws: The errors of `read`, and an error if a region cannot be resolved.
  public func changes(
    in regions: any DatabaseRegionConvertible..., limits: ChangeStream.Limits = ChangeStream.Limits()
  ) async throws -> ChangeStream {
    try await changes(in: regions, limits: limits)
  }

  /// Returns the transactions that change the regions of a list, from now on.
  ///
  /// - Parameters:
  ///   - regions: The regions. If the list is empty, all changes.
  ///   - limits: The limits of the stream.
  /// - Returns: The transactions that are committed after this method has returned, and perhaps some that were
  ///   committed immediately before.
  /// - Throws: The errors of `read`, and an error if a region cannot be resolved.
  public func changes(
    in regions: [any DatabaseRegionConvertible], limits: ChangeStream.Limits = ChangeStream.Limits()
  ) async throws -> ChangeStream {
    let core = _core
    let consumer = ChangeConsumer(regions, limits, in: core)
    while try await !core.read(isolated: true, { try consumer.start($0) }) {}
    return ChangeStream(consumer: consumer)
  }

  /// Returns the transactions that change some regions, from now on.
  ///
  /// It blocks the thread like `read`.
  ///
  /// ```swift
  /// let changes = try dbPool.changes(in: Table("player"))
  /// ```
  ///
  /// - Parameters:
  ///   - regions: The regions: tables, requests, or others. Without regions, all changes.
  ///   - limits: The limits of the stream.
  /// - Returns: The transactions that are committed after this method has returned, and perhaps some that were
  ///   committed immediately before.
  /// - Throws: The errors of `read`, and an error if a region cannot be resolved.
  public func changes(
    in regions: any DatabaseRegionConvertible..., limits: ChangeStream.Limits = ChangeStream.Limits()
  ) throws -> ChangeStream {
    try changes(in: regions, limits: limits)
  }

  /// Returns the transactions that change the regions of a list, from now on.
  ///
  /// It blocks the thread like `read`.
  ///
  /// - Parameters:
  ///   - regions: The regions. If the list is empty, all changes.
  ///   - limits: The limits of the stream.
  /// - Returns: The transactions that are committed after this method has returned, and perhaps some that were
  ///   committed immediately before.
  /// - Throws: The errors of `read`, and an error if a region cannot be resolved.
  public func changes(
    in regions: [any DatabaseRegionConvertible], limits: ChangeStream.Limits = ChangeStream.Limits()
  ) throws -> ChangeStream {
    let core = _core
    let consumer = ChangeConsumer(regions, limits, in: core)
    while try !core.read(isolated: true, { try consumer.start($0) }) {}
    return ChangeStream(consumer: consumer)
  }
}
