public import FoundationEssentials

/// A notification of a database, which a transaction has sent: see ``Database/notify(channel:payload:)``.
public struct DatabaseNotification: Sendable, Hashable {
  /// The name of the channel.
  public let channel: String

  /// The text that was sent.
  public let payload: String

  /// The position after the transaction that has sent the notification.
  ///
  /// All notifications of a transaction have the same token: see ``isContinued``. Of a transaction that is stored in
  /// parts, those of a part have the same token.
  public let token: ChangeToken

  /// Whether the next notification of the channel has the same token.
  ///
  /// After a token, no further notification with this token is delivered. So store or acknowledge the token of a
  /// notification that is not continued, when all notifications with this token are handled.
  public let isContinued: Bool

  /// The time of the commit, in microseconds since 1970-01-01 00:00:00 UTC.
  public let microsecondsSince1970: Int64

  /// The time of the commit.
  public var date: Date { Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1e6) }

  /// - Parameter entry: An entry with one notification.
  fileprivate init(_ entry: ChangeFeedEntry) {
    guard case .notification(let channel, let payload)? = entry.changes.elements.first else {
      preconditionFailure("A consumer of a channel received an entry without a notification")
    }
    (self.channel, self.payload, token) = (channel, payload, entry.token)
    (isContinued, microsecondsSince1970) = (entry.changes.isContinued, entry.changes.microsecondsSince1970)
  }
}

/// The notifications of a channel, as an asynchronous sequence.
///
/// ```swift
/// for try await notification in try await dbPool.notifications(channel: "players") {
///   print(notification.payload)
/// }
/// ```
///
/// The notifications of all processes, including this one, are delivered in the order of their commits, and within a
/// transaction in the order in which they were sent, each once. They come from the change feed, and a slow receiver
/// delays no writer.
///
/// A program without the change feed can send no notification. So a transaction whose changes are unknown hides none,
/// and such transactions are passed over.
///
/// The sequence ends with an error if a receiver is so slow that transactions are removed from the feed before it has
/// read them (``ChangeFeedError/expired(oldest:)``), or if the database is closed, restored or replaced.
///
/// A sequence has one receiver: concurrent iterations share the notifications. When the task of an iteration is
/// cancelled, the iteration ends, and another one can continue.
public struct DatabaseNotifications: AsyncSequence, Sendable {
  /// A notification.
  public typealias Element = DatabaseNotification

  /// The iterator.
  public typealias AsyncIterator = Iterator

  fileprivate let consumer: ChangeFeedConsumer

  /// Returns an iterator, which continues where former ones have ended.
  public func makeAsyncIterator() -> Iterator { Iterator(consumer: consumer) }

  /// The iterator of the notifications.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let consumer: ChangeFeedConsumer

    /// Returns the next notification; nil if the task is cancelled.
    ///
    /// - Throws: The error that ends the sequence: a ``ChangeFeedError`` or a `DatabaseError`.
    public mutating func next() async throws -> DatabaseNotification? {
      try await consumer.next().map(DatabaseNotification.init)
    }
  }
}

extension DatabaseWriter {
  /// Returns the notifications of a channel from now on.
  ///
  /// ```swift
  /// for try await notification in try await dbPool.notifications(channel: "players") {
  ///   print(notification.payload)
  /// }
  /// ```
  ///
  /// Each notification that is committed after the method has returned is delivered.
  ///
  /// - Parameter channel: The name of the channel.
  /// - Returns: The notifications.
  /// - Throws: ``ChangeFeedError/notEnabled`` if the database has no change feed; and the errors of `read`.
  public func notifications(channel: String) async throws -> DatabaseNotifications {
    try await notifications(channel: channel) { db in try db.changeToken() }
  }

  /// Returns the notifications of a channel after a position, and then each new one.
  ///
  /// ```swift
  /// let token = try await dbPool.read { db in try db.changeToken() }
  /// for try await notification in try await dbPool.notifications(channel: "players", after: token) {
  ///   print(notification.payload)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - channel: The name of the channel.
  ///   - token: The position; nil to begin with the first transaction that is kept. After the token of a notification,
  ///     other notifications of its transaction are not delivered: see ``DatabaseNotification/isContinued``.
  /// - Returns: The notifications.
  /// - Throws: A ``ChangeFeedError`` without a feed, or if the token has expired or belongs to another history; and the
  ///   errors of `read`.
  public func notifications(channel: String, after token: ChangeToken?) async throws -> DatabaseNotifications {
    try await notifications(channel: channel) { _ in token }
  }

  /// Returns the notifications of a channel that a named consumer has not acknowledged, and then each new one.
  ///
  /// ```swift
  /// for try await notification in try await dbPool.notifications(channel: "mail", for: "mailer") {
  ///   print(notification.payload)
  ///   if notification.isContinued { continue }
  ///   try await dbPool.write { db in try db.acknowledge(notification.token, by: "mailer") }
  /// }
  /// ```
  ///
  /// A program that stops before the acknowledgement receives all notifications with this token again. See
  /// ``Database/acknowledge(_:by:)`` for effects in the database, which take place exactly once.
  ///
  /// - Parameters:
  ///   - channel: The name of the channel.
  ///   - consumer: The name of the consumer.
  /// - Returns: The notifications.
  /// - Throws: A ``ChangeFeedError`` if the consumer is unknown, or if its position has expired or belongs to another
  ///   history; and the errors of `read`.
  public func notifications(channel: String, for consumer: String) async throws -> DatabaseNotifications {
    try await notifications(channel: channel) { db in
      guard let token = try db.acknowledgedToken(by: consumer) else { throw ChangeFeedError.unknownConsumer(consumer) }
      return token
    }
  }

  /// - Parameter start: Returns the position, in the access in which the consumer starts.
  private func notifications(
    channel: String, after start: @escaping @Sendable (Database) throws -> ChangeToken?
  ) async throws -> DatabaseNotifications {
    let core = _core
    let consumer = ChangeFeedConsumer(.channel(channel), in: core)
    try await core.read(isolated: true) { db in try consumer.start(db, after: start(db)) }
    return DatabaseNotifications(consumer: consumer)
  }
}
