// Fetches run in rounds: all queries that wait when a connection is there, on one snapshot. What comes meanwhile waits
// for the next round, which another connection may begin at once. When a round takes long, other connections that read
// the same state help.

extension LiveEngine {
  /// Fetches the queries that wait, until none does.
  func fetchReadBatches(_ result: Result<Database, any Error>) {
    var lastHelped = 0
    var joined = state.withLock { $0.joinBatch(after: lastHelped) }
    while true {
      if let batch = joined {
        lastHelped = batch.number
        help(batch, result)
        leave(batch)
      }
      var last: FetchBatch?
      while let batch = nextBatch(after: last) {
        read(batch, result)
        last = batch
        // Others who use the only connection have their turn.
        if batch.core.fetchesExcludeWrites {
          leave(batch)
          stopReading(after: .max)
          return
        }
      }
      joined = stopReading(after: lastHelped)
      if joined == nil { return }
    }
  }

  /// Leaves a round, and begins the next one: if nothing waits, after a moment with the processor.
  ///
  /// The lock is taken once where it can be. Who commits takes it, too, and each time that it changes hands between two
  /// processors costs both as much as hundreds of instructions.
  private func nextBatch(after last: FetchBatch?) -> FetchBatch? {
    let (batch, polling, _) = state.withLock { state in
      if let last { state.leave(last) }
      let (batch, line) = state.beginBatch(.reading)
      return (batch, batch == nil ? state.beginPolling() : nil, line)
    }
    guard batch == nil, let polling else { return batch }
    // The clock may be one that does not go on by itself.
    var checkCount = 0
    while !polling.snapshotChanges.isSet, checkCount < 2_000, polling.clock.now() < polling.end { checkCount += 1 }
    return state.withLock { state in
      state.polling.end(hasWork: !state.fetchQueues.reading.isEmpty)
      return state.beginBatch(.reading)
    }.batch
  }

  /// Leaves, unless somebody wants help: as long as a connection is counted, nobody asks for another one.
  ///
  /// - parameter number: That of the last round that was helped in, or could not be.
  /// - returns: The round to help in.
  @discardableResult
  private func stopReading(after number: Int) -> FetchBatch? {
    let (batch, work) = state.withLock { state -> (FetchBatch?, LiveWork) in
      if let batch = state.joinBatch(after: number) { return (batch, LiveWork()) }
      state.fetchQueues.readerCount -= 1
      return (nil, state.nextWork())
    }
    perform(work)
    return batch
  }

  /// Fetches the queries that wait and need to write.
  func fetchWriteBatches(_ result: Result<Database, any Error>) {
    if let batch = state.withLock({ $0.beginBatch(.writing) }).batch {
      fetchAll(batch) { fetch in
        let key = LiveQueryKey(fetch.source, requiresWriteAccess: true)
        let outcome = try writing(key) { willCommit in
          try result.get().committing { db in
            batch.externalCommits?.begin(with: db)
            // No other connection can commit meanwhile.
            let outcome = try (versioned(fetch, in: batch.core, db) ?? fetch).run(db)
            willCommit()
            return outcome
          }
        }
        guard let outcome else { preconditionFailure("Each fetch has an outcome") }
        return outcome
      }
      leave(batch)
    }
    perform(
      state.withLock { state in
        state.fetchQueues.hasWriter = false
        return state.nextWork()
      })
  }

  private func read(_ batch: FetchBatch, _ result: Result<Database, any Error>) {
    do {
      let db = try result.get()
      var search = SnapshotSearch(batch)
      repeat {
        if batch.isIncremental { noteRows(of: batch) }
      } while try !db.isolatedRead { try read(batch, $0, &search) }
    } catch {
      // Those who help go on.
      let remaining = state.withLock { _ in batch.readerCount == 1 ? batch.takeRemaining() : [] }
      if remaining.isEmpty { return Database.log(error, "The read of live queries could not be ended") }
      for item in remaining { complete(item, .failure(error), batch) }
    }
  }

  /// - returns: False when nothing was fetched, as another state is better.
  private func read(_ batch: FetchBatch, _ db: Database, _ search: inout SnapshotSearch) throws -> Bool {
    batch.externalCommits?.begin(with: db)
    // In a queue there is nobody else, to help or to write.
    let isAlone = batch.core.fetchesExcludeWrites
    let state =
      !isAlone && (batch.isLarge || batch.needsSnapshotState) ? try db.acquireSnapshotState() : SnapshotState()
    if batch.needsSnapshotState, search.shouldContinue(try unmetRequirements(state, batch, db), batch) { return false }
    if batch.isLarge, !isAlone { self.state.withLock { $0.share(batch, state.header) } }
    var schemaCheck = LiveFetch.SchemaVersionCheck()
    fetchAll(batch, while: { db.isInsideTransaction }) { try $0.run(db, &schemaCheck) }
    return true
  }

  /// Fetches in the round of another connection, if the state is the same.
  private func help(_ batch: FetchBatch, _ result: Result<Database, any Error>) {
    do {
      try result.get().isolatedRead { db in
        guard let header = try db.acquireSnapshotState().header, header == batch.header else { return }
        var schemaCheck = LiveFetch.SchemaVersionCheck()
        fetchAll(batch, while: { db.isInsideTransaction }) { try $0.run(db, &schemaCheck) }
      }
    } catch {
      Database.log(error, "A connection could not help to fetch live queries")
    }
  }

  private func leave(_ batch: FetchBatch) {
    // What SQLite has ended the transaction before, after an error, has its turn in the next round.
    state.withLock { $0.leave(batch) }
  }

  /// Fetches what nobody else fetches in a round.
  private func fetchAll(
    _ batch: FetchBatch, while shouldContinue: () -> Bool = { true }, _ run: (LiveFetch) throws -> LiveFetch.Outcome
  ) {
    while shouldContinue() {
      let now = batch.core.clock.now()
      guard let (item, fetch, work) = state.withLock({ $0.nextFetch(in: batch, now) }) else { return }
      if let work { perform(work) }
      var times = FetchTimes(wokenAt: item.wokenAt, fetchStart: now)
      let result = Result { try run(fetch) }
      times.fetched = batch.core.clock.now()
      complete(item, result, batch, times)
      // It was the only one, and nobody else knows of the round.
      if !batch.isLarge { return }
    }
  }
}
