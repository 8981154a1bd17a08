// Sending notifications, which are part of a transaction.
//
// Invariants:
// 1. A notification is stored if and only if its transaction is committed: the change log contains it, and is cut back
//    with savepoints. If savepoints are used with the C interface, a notification that is rolled back may stay.
// 2. A notification that cannot be stored is an error, when it is sent or when the transaction is committed.

extension Database {
  /// Sends a notification to all processes that use the database, when the current transaction is committed.
  ///
  /// ```swift
  /// try dbPool.write { db in
  ///   try Player(id: 1, name: "Arthur", score: 30).insert(db)
  ///   try db.notify(channel: "players", payload: "1")
  /// }
  /// ```
  ///
  /// The notification is stored in the change feed, in its place between the changes of the transaction. If the
  /// transaction or savepoint is rolled back, it is not sent. Outside of a transaction, it is a transaction of its own.
  /// Receive notifications with ``DatabaseWriter/notifications(channel:)``.
  ///
  /// The notifications of a transaction are in memory until the commit.
  ///
  /// - Parameters:
  ///   - channel: The name of the channel: any text. Texts with different bytes are different channels.
  ///   - payload: A text for the receivers.
  /// - Throws: ``ChangeFeedError/notEnabled`` if the connection writes no change feed. A `DatabaseError`: of code
  ///   `SQLITE_READONLY` in an access that only reads, of code `SQLITE_MISUSE` while a statement runs, in an SQL
  ///   function for instance; or if the write lock is not available.
  public func notify(channel: String, payload: String = "") throws {
    preconditionAccess()
    _ = try openHandle()
    let writer = try changeFeedWriter(calling: "notify")
    if isInsideTransaction { return try writer.notify(self, channel, payload) }
    // A program that handles the error of a failed transaction does not send its notifications.
    if let cause = transaction.abortCause { throw abortedError(cause) }
    try inTransaction(.immediate) {
      try writer.notify(self, channel, payload)
      return .commit
    }
  }
}

extension Database {
  /// The writer of the change feed, for a method that an access calls.
  ///
  /// - Throws: ``ChangeFeedError/notEnabled`` if the connection writes no change feed; in an access that only reads, a
  ///   `DatabaseError` of code `SQLITE_READONLY`.
  func changeFeedWriter(calling method: String) throws -> ChangeFeedWriter {
    if settings.isReadonly || access.readOnlyDepth > 0 {
      throw DatabaseError(resultCode: .SQLITE_READONLY, message: "\(method) cannot be called in a read: use a write")
    }
    guard let writer = changeFeedWriter else { throw ChangeFeedError.notEnabled }
    return writer
  }
}

extension DatabaseWriter {
  /// Sends a notification to all processes that use the database.
  ///
  /// ```swift
  /// try await dbPool.notify(channel: "players", payload: "reload")
  /// ```
  ///
  /// It is a transaction of its own. To send a notification with the changes of a transaction, use
  /// ``Database/notify(channel:payload:)``.
  ///
  /// - Parameters:
  ///   - channel: The name of the channel: any text.
  ///   - payload: A text for the receivers.
  /// - Throws: ``ChangeFeedError/notEnabled`` if the database was opened without
  ///   ``Configuration/changeFeed``; a `DatabaseError`; or a `CancellationError` if the task is cancelled before the
  ///   commit.
  public func notify(channel: String, payload: String = "") async throws {
    try await write { db in try db.notify(channel: channel, payload: payload) }
  }
}
