import FoundationEssentials

// Positions in the change feed, as accesses see them.

extension Database {
  private var feedTables: ChangeFeedTables { moduleState(ChangeFeedTables.self) }

  /// Returns the position of the last transaction in the change feed: read the content of the database in the same
  /// access, and continue with the changes after the token.
  ///
  /// ```swift
  /// let (players, token) = try await dbPool.read { db in
  ///   try (Player.fetchAll(db), db.changeToken())
  /// }
  /// ```
  ///
  /// In a transaction that has made changes, it is the position before this transaction.
  ///
  /// - Returns: The token.
  /// - Throws: ``ChangeFeedError/notEnabled`` without a change feed; or a `DatabaseError`.
  public func changeToken() throws -> ChangeToken {
    try checkInterruption()
    guard let last = try feedTables.last(self), let history = try feedTables.history(self) else {
      throw ChangeFeedError.notEnabled
    }
    return ChangeToken(history: history, id: last.id, digest: last.digest)
  }

  // MARK: - Named consumers

  /// Stores the position of a named consumer: the transactions up to the token need not be delivered to it again.
  ///
  /// Call it in the transaction that stores the effects of the changes. Whatever happens, each transaction then takes
  /// effect exactly once:
  ///
  /// ```swift
  /// for try await entry in try await dbPool.changes(for: "index") {
  ///   try await dbPool.write { db in
  ///     try db.execute(sql: "INSERT INTO log (changes) VALUES (?)", arguments: ["\(entry.changes)"])
  ///     try db.acknowledge(entry.token, by: "index")
  ///   }
  /// }
  /// ```
  ///
  /// The first acknowledgement creates the consumer. The feed keeps what a consumer has not acknowledged: see
  /// ``ChangeFeedConfiguration/unacknowledgedByteCount``.
  ///
  /// - Parameters:
  ///   - token: The position after the last transaction.
  ///   - consumer: The name of the consumer.
  /// - Throws: A ``ChangeFeedError`` if the consumer has acknowledged the token, or a later one, before; if the token
  ///   belongs to another history; or if this connection writes no change feed. Or a `DatabaseError`: of code
  ///   `SQLITE_READONLY` in an access that only reads.
  public func acknowledge(_ token: ChangeToken, by consumer: String) throws {
    let writer = try changeFeedWriter(calling: "acknowledge")
    try checkHistory(of: token)
    if let known = try acknowledgedToken(by: consumer), known.id >= token.id {
      throw ChangeFeedError.alreadyAcknowledged(known.version)
    }
    writer.feedWillChange()
    let digest = token.digest.withBytes { Data($0) }
    try execute(
      sql: """
        INSERT INTO main.\(ChangeFeedTables.consumers) VALUES (?, ?, ?)
        ON CONFLICT (name) DO UPDATE SET id = excluded.id, digest = excluded.digest
        """, arguments: [consumer, token.id.number, digest])
  }

  /// Returns the position of a named consumer.
  ///
  /// ```swift
  /// let token = try dbPool.read { db in try db.acknowledgedToken(by: "index") }
  /// ```
  ///
  /// - Parameter consumer: The name of the consumer.
  /// - Returns: The last acknowledged token; nil for an unknown consumer.
  /// - Throws: ``ChangeFeedError/notEnabled`` without a change feed; or a `DatabaseError`.
  public func acknowledgedToken(by consumer: String) throws -> ChangeToken? {
    guard let history = try feedTables.history(self) else { throw ChangeFeedError.notEnabled }
    let row = try Row.fetchOne(
      self, sql: "SELECT id, digest FROM main.\(ChangeFeedTables.consumers) WHERE name = ?", arguments: [consumer])
    guard let row else { return nil }
    guard case .int64(let number) = (row[0] as DatabaseValue).storage, let id = FeedID(number: number),
      case .blob(let data) = (row[1] as DatabaseValue).storage,
      let digest = data.withUnsafeBytes({ ChangeDigest($0) })
    else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the position of the consumer \(consumer) is damaged")
    }
    return ChangeToken(history: history, id: id, digest: digest)
  }

  /// Returns the names of the consumers that have acknowledged transactions.
  ///
  /// ```swift
  /// let names = try dbPool.read { db in try db.changeConsumers() }
  /// ```
  ///
  /// - Returns: The names, in alphabetic order.
  /// - Throws: ``ChangeFeedError/notEnabled`` without a change feed; or a `DatabaseError`.
  public func changeConsumers() throws -> [String] {
    guard try ChangeFeedTables.exist(self) else { throw ChangeFeedError.notEnabled }
    return try String.fetchAll(self, sql: "SELECT name FROM main.\(ChangeFeedTables.consumers) ORDER BY name")
  }

  /// Removes a named consumer. The feed keeps nothing for it any more.
  ///
  /// ```swift
  /// try dbPool.write { db in try db.removeChangeConsumer("index") }
  /// ```
  ///
  /// - Parameter consumer: The name of the consumer.
  /// - Returns: Whether there was one.
  /// - Throws: ``ChangeFeedError/notEnabled`` if this connection writes no change feed; or a `DatabaseError`, of code
  ///   `SQLITE_READONLY` in an access that only reads.
  @discardableResult
  public func removeChangeConsumer(_ consumer: String) throws -> Bool {
    let writer = try changeFeedWriter(calling: "removeChangeConsumer")
    writer.feedWillChange()
    try execute(sql: "DELETE FROM main.\(ChangeFeedTables.consumers) WHERE name = ?", arguments: [consumer])
    return changesCount > 0
  }

  // MARK: - Tokens

  /// Throws if a token is not a position in the feed, as far as its entry is kept.
  func checkHistory(of token: ChangeToken) throws {
    guard let history = try feedTables.history(self), let last = try feedTables.last(self) else {
      throw ChangeFeedError.notEnabled
    }
    guard token.history == history, token.id <= last.id else { throw ChangeFeedError.otherHistory }
    if let row = try feedTables.row(token.id, self) {
      if row.digest != token.digest { throw ChangeFeedError.otherHistory }
    } else if let first = try feedTables.first(self), first.id <= token.id {
      // Rows are removed from the first one on: this one has never existed.
      throw ChangeFeedError.otherHistory
    }
  }

  /// Removes the change feed with its tables, from a database that is opened without one.
  ///
  /// ```swift
  /// try dbPool.write { db in try db.removeChangeFeed() }
  /// ```
  ///
  /// A feed that is created later has another history.
  ///
  /// - Throws: A `DatabaseError`; if this connection writes the feed, of code `SQLITE_MISUSE`.
  public func removeChangeFeed() throws {
    if changeFeedWriter != nil {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "the connection writes the change feed: open the database without Configuration.changeFeed")
    }
    for table in [ChangeFeedTables.entries, ChangeFeedTables.history, ChangeFeedTables.consumers] {
      try execute(sql: "DROP TABLE IF EXISTS main.\(table)")
    }
  }
}
