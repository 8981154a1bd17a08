import Synchronization

// Fetching batches: see `LiveState+Fetches.swift`.

extension LiveEngine {
  /// A batch, and the objects that its connections need.
  struct Batch {
    let facts: FetchBatch.Facts

    /// The time when the connection began to fetch.
    let start: Duration
    let core: _DatabaseCore

    /// The detection of external commits, if it is enabled.
    let externalCommits: ExternalCommitListener?

    var number: Int { facts.number }
  }

  /// The next step of a connection.
  fileprivate enum Step {
    case readStoredChanges((any StoredChangesReader)?, LiveState.StoredChangesRead)
    case fetch(Batch)
    case leave
  }

  /// Reads stored changes and fetches waiting queries, until there are none.
  func fetchReadBatches(_ result: Result<Database, any Error>, _ core: _DatabaseCore) {
    var lastHelped = 0
    let now = clock.now()
    var joined = guarded.withLock { $0.batch($0.state.batchJoined(after: 0), core, at: now) }
    while true {
      if let batch = joined {
        lastHelped = batch.number
        help(batch, result)
        leave(batch)
      }
      var last: Batch?
      steps: while true {
        switch nextStep(after: last, core) {
        case .readStoredChanges(let reader, let read):
          last = readStoredChanges(reader, result, core, read)
        case .fetch(let batch):
          read(batch, result)
          last = batch
        case .leave: break steps
        }
        // Other accesses use the only connection in between.
        if core.fetchesExcludeWrites {
          if let last { leave(last) }
          _ = stopReading(after: .max, core)
          return
        }
      }
      joined = stopReading(after: lastHelped, core)
      if joined == nil { return }
    }
  }

  /// Leaves a batch, and begins the next step.
  ///
  /// The lock is taken only once. The committing thread takes it, too, and each move of the lock between two processors
  /// costs both hundreds of instructions.
  private func nextStep(after last: Batch?, _ core: _DatabaseCore) -> Step {
    let now = clock.now()
    return guarded.withLock { guarded in
      if let last { guarded.state.batchLeft(last.number, from: last.start, to: now) }
      return guarded.nextStep(core, at: now)
    }
  }

  /// Leaves, unless a batch needs help.
  ///
  /// - Parameter number: The number of the last batch that this connection has helped with, or could not.
  /// - Returns: The batch to help with.
  private func stopReading(after number: Int, _ core: _DatabaseCore) -> Batch? {
    let now = clock.now()
    return report { $0.batch($0.state.readerLeaves(after: number, at: now), core, at: now) }.result
  }

  /// Fetches waiting queries that need write access.
  func fetchWriteBatches(_ result: Result<Database, any Error>, _ core: _DatabaseCore) {
    let now = clock.now()
    if let batch = guarded.withLock({ $0.beginBatch(writing: true, core, at: now) }) {
      fetchAll(batch) { fetch in
        let outcome = try writing(LiveQueryKey(fetch.source, requiresWriteAccess: true)) { willCommit in
          try result.get().committing { db in
            batch.externalCommits?.begin(with: db)
            // No other connection can commit meanwhile.
            let outcome = try (versioned(fetch, in: core, db) ?? fetch).run(db)
            willCommit()
            return outcome
          }
        }
        guard let outcome else { preconditionFailure("Each fetch has an outcome") }
        return outcome
      }
      leave(batch)
    }
    let end = clock.now()
    report { $0.state.writerLeaves(at: end) }
  }

  private func read(_ batch: Batch, _ result: Result<Database, any Error>) {
    do {
      let db = try result.get()
      var search = SnapshotSearch(began: batch.facts.needsSnapshotState ? clock.now() : .zero)
      repeat {
        if batch.facts.isIncremental { noteRows(of: batch) }
      } while try !db.isolatedRead { try read(batch, $0, &search) }
    } catch {
      fail(batch, error)
    }
  }

  /// Ends the fetches of a batch after an error of its connection. Connections that help continue.
  func fail(_ batch: Batch, _ error: any Error) {
    let remaining = guarded.withLock { $0.state.batchFailed(batch.number) }
    if remaining.isEmpty { return Database.log(error, "Could not end a read of live queries") }
    for item in remaining { complete(item, .failure(error), batch) }
  }

  /// - Returns: False if nothing was fetched, because another state is better.
  private func read(_ batch: Batch, _ db: Database, _ search: inout SnapshotSearch) throws -> Bool {
    batch.externalCommits?.begin(with: db)
    let facts = batch.facts
    // A queue has no other connections that could help or write.
    let isAlone = batch.core.fetchesExcludeWrites
    let mustIdentify = !isAlone && (facts.isLarge || facts.needsSnapshotState)
    let state = mustIdentify ? try db.acquireSnapshotState() : SnapshotState()
    if facts.needsSnapshotState {
      let unknown = try unmetRequirements(state, batch, db)
      if search.shouldContinue(unknown, clock, policy) { return false }
    }
    if facts.isLarge, !isAlone { guarded.withLock { $0.state.withBatch(batch.number) { $0.share(state.header) } } }
    fetchAll(batch, from: db)
    return true
  }

  /// Fetches in the batch of another connection, if the snapshot is the same.
  private func help(_ batch: Batch, _ result: Result<Database, any Error>) {
    do {
      try result.get().isolatedRead { db in
        let shared = guarded.withLock { $0.state.withBatch(batch.number) { $0.header } }
        guard let header = try db.acquireSnapshotState().header, header == shared else { return }
        fetchAll(batch, from: db)
      }
    } catch {
      Database.log(error, "An additional connection could not fetch live queries")
    }
  }

  private func leave(_ batch: Batch) {
    // If SQLite has ended the transaction after an error, the remaining queries wait for the next batch.
    let now = clock.now()
    guarded.withLock { $0.state.batchLeft(batch.number, from: batch.start, to: now) }
  }

  /// Fetches queries of a batch from the snapshot of a connection.
  func fetchAll(_ batch: Batch, from db: Database) {
    var schemaCheck = LiveFetch.SchemaVersionCheck()
    fetchAll(batch, while: { db.isInsideTransaction }) { try $0.run(db, &schemaCheck) }
  }

  /// Fetches the queries of a batch that no other connection fetches.
  private func fetchAll(
    _ batch: Batch, while shouldContinue: () -> Bool = { true }, _ run: (LiveFetch) throws -> LiveFetch.Outcome
  ) {
    while shouldContinue() {
      let now = clock.now()
      guard let (item, fetch) = nextFetch(in: batch, at: now) else { return }
      var times = LiveState.FetchTimes(wokenAt: item.wokenAt, fetchStart: now)
      let result = Result { try run(fetch) }
      times.fetched = clock.now()
      complete(item, result, batch, times)
      // It was the only query, and no other connection uses the batch.
      if !batch.facts.isLarge { return }
    }
  }

  private func nextFetch(in batch: Batch, at now: Duration) -> (FetchBatch.Item, LiveFetch)? {
    let cancellation = AccessCancellation()
    let next = report { guarded -> (LiveState.Fetch, any LiveSource, [any LiveObserver])? in
      guard let fetch = guarded.state.nextFetch(in: batch.number, at: now) else { return nil }
      guarded.objects.begin(cancellation, of: fetch.item.query)
      return (fetch, guarded.objects.source(of: fetch.item.query), guarded.objects.observers(fetch.observers))
    }.result
    guard let (fetch, source, observers) = next else { return nil }
    let isReading = !fetch.requiresWriteAccess
    let isDigested = isReading && !source.isIncremental && batch.externalCommits?.canReportCommits == true
    return (
      fetch.item,
      LiveFetch(
        source: source, findsRegion: fetch.findsRegion, lastReadSet: fetch.lastReadSet,
        schemaVersion: fetch.schemaVersion, observers: observers, snapshotChanges: fetch.item.snapshotChanges,
        isReading: isReading, isDigested: isDigested, cancellation: cancellation, deadline: batch.core.deadline())
    )
  }
}

extension LiveEngine.Guarded {
  func batch(
    _ facts: FetchBatch.Facts?, _ core: _DatabaseCore, at now: Duration
  ) -> LiveEngine.Batch? {
    facts.map { LiveEngine.Batch(facts: $0, start: now, core: core, externalCommits: objects.watch?.externalCommits) }
  }

  /// The changes of external commits are read first: they may concern queries.
  fileprivate mutating func nextStep(_ core: _DatabaseCore, at now: Duration) -> LiveEngine.Step {
    // The current reader: another watch may have begun since the detection.
    if let read = state.storedChangesReadBegan(writeCount: objects.writeCount, at: now) {
      return .readStoredChanges(storedChangesReader, read)
    }
    return beginBatch(core, at: now).map { .fetch($0) } ?? .leave
  }

  fileprivate mutating func beginBatch(
    writing: Bool = false, _ core: _DatabaseCore, at now: Duration
  ) -> LiveEngine.Batch? {
    batch(state.batchBegan(writing: writing, writeCount: objects.writeCount, at: now), core, at: now)
  }
}
