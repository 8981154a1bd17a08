// Fetches run in batches: when a connection is available, it fetches all waiting queries from one snapshot. Later
// queries wait for the next batch, which another connection may begin immediately. If a batch takes long, other
// connections that read the same state help.

extension LiveEngine {
  /// Fetches waiting queries, until there are none.
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
        // Other accesses use the only connection in between.
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

  /// Leaves a batch, and begins the next one. If no query waits, the thread spins for a moment.
  ///
  /// If possible, the lock is taken only once. The committing thread takes it, too, and each move of the lock between
  /// two processors costs both hundreds of instructions.
  private func nextBatch(after last: FetchBatch?) -> FetchBatch? {
    let (batch, polling, _) = state.withLock { state in
      if let last { state.leave(last) }
      let (batch, line) = state.beginBatch(.reading)
      return (batch, batch == nil ? state.beginPolling() : nil, line)
    }
    guard batch == nil, let polling else { return batch }
    // The clock may be a simulated one, which does not advance by itself.
    var checkCount = 0
    while !polling.snapshotChanges.isSet, checkCount < 2_000, polling.clock.now() < polling.end { checkCount += 1 }
    return state.withLock { state in
      state.polling.end(hasWork: !state.fetchQueues.reading.isEmpty)
      return state.beginBatch(.reading)
    }.batch
  }

  /// Leaves, unless a batch needs help: while a connection is counted, no other one is requested.
  ///
  /// - Parameter number: The number of the last batch that this connection has helped with, or could not.
  /// - Returns: The batch to help with.
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

  /// Fetches waiting queries that need write access.
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
      // Helping connections continue.
      let remaining = state.withLock { _ in batch.readerCount == 1 ? batch.takeRemaining() : [] }
      if remaining.isEmpty { return Database.log(error, "Could not end a read of live queries") }
      for item in remaining { complete(item, .failure(error), batch) }
    }
  }

  /// - Returns: False if nothing was fetched, because another state is better.
  private func read(_ batch: FetchBatch, _ db: Database, _ search: inout SnapshotSearch) throws -> Bool {
    batch.externalCommits?.begin(with: db)
    // A queue has no other connections that could help or write.
    let isAlone = batch.core.fetchesExcludeWrites
    let state =
      !isAlone && (batch.isLarge || batch.needsSnapshotState) ? try db.acquireSnapshotState() : SnapshotState()
    if batch.needsSnapshotState, search.shouldContinue(try unmetRequirements(state, batch, db), batch) { return false }
    if batch.isLarge, !isAlone { self.state.withLock { $0.share(batch, state.header) } }
    var schemaCheck = LiveFetch.SchemaVersionCheck()
    fetchAll(batch, while: { db.isInsideTransaction }) { try $0.run(db, &schemaCheck) }
    return true
  }

  /// Fetches in the batch of another connection, if the snapshot is the same.
  private func help(_ batch: FetchBatch, _ result: Result<Database, any Error>) {
    do {
      try result.get().isolatedRead { db in
        guard let header = try db.acquireSnapshotState().header, header == batch.header else { return }
        var schemaCheck = LiveFetch.SchemaVersionCheck()
        fetchAll(batch, while: { db.isInsideTransaction }) { try $0.run(db, &schemaCheck) }
      }
    } catch {
      Database.log(error, "An additional connection could not fetch live queries")
    }
  }

  private func leave(_ batch: FetchBatch) {
    // If SQLite has ended the transaction after an error, the remaining queries wait for the next batch.
    state.withLock { $0.leave(batch) }
  }

  /// Fetches the queries of a batch that no other connection fetches.
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
      // It was the only query, and no other connection uses the batch.
      if !batch.isLarge { return }
    }
  }
}
