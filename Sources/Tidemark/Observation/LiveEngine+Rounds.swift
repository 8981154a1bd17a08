// Fetches run in rounds: all queries that wait when a connection is there, one after the other, on one snapshot. What
// comes meanwhile waits for the next round, which another connection may begin at once.

extension LiveEngine {
  /// Fetches the queries that wait, until none does.
  func readRounds(_ result: Result<Database, any Error>) {
    while let round = state.withLock({ $0.beginRound(\.reading) }) {
      switch result {
      case .success(let db): read(round, db)
      case .failure(let error): for item in round.items { complete(item, .failure(error), round) }
      }
      let mustYield = state.withLock { state in
        state.log.end(round.begun)
        // Others who use the only connection have their turn.
        return round.ground.fetchesExcludeWrites
      }
      if mustYield { break }
    }
    perform(
      state.withLock { state in
        state.lines.readerCount -= 1
        return state.nextWork()
      })
  }

  /// Fetches the queries that wait and need to write.
  func writeRounds(_ result: Result<Database, any Error>) {
    if let round = state.withLock({ $0.beginRound(\.writing) }) {
      for item in round.items {
        fetch(item, in: round) { fetch in try result.get().committing { try fetch.run($0) } }
      }
      state.withLock { $0.log.end(round.begun) }
    }
    perform(
      state.withLock { state in
        state.lines.hasWriter = false
        return state.nextWork()
      })
  }

  private func read(_ round: LiveState.Round, _ db: Database) {
    var rest = round.items[...]
    do {
      try db.isolatedRead { db in
        try db.pinState()
        while let item = rest.first, db.isInsideTransaction {
          rest = rest.dropFirst()
          fetch(item, in: round) { fetch in try fetch.run(db) }
        }
      }
    } catch {
      if rest.isEmpty { return Database.log(error, "The read of live queries could not be ended") }
      for item in rest { complete(item, .failure(error), round) }
      return
    }
    // SQLite has ended the transaction after an error: they have their turn in the next round.
    for item in rest { state.withLock { $0.putBack(item) } }
  }

  // MARK: - Results

  /// When things happened in a fetch.
  struct FetchTimes {
    var wokenAt: Duration?
    var begun: Duration
    var fetched = Duration.zero
    var delivered = Duration.zero
    var falseWakeCount = 0
  }

  private func fetch(
    _ item: LiveState.Round.Item, in round: LiveState.Round,
    _ run: (LiveFetch) throws -> LiveFetch.Outcome
  ) {
    let query = item.query
    let fetch = state.withLock { state in
      let cancellation = AccessCancellation()
      query.cancellation = cancellation
      // Nobody observes it any more since the round began.
      if state.queries[query.key] !== query { cancellation.cancel() }
      return LiveFetch(
        source: query.source, findsRegion: query.mustFindRegion, lastSelection: query.lastSelection,
        observers: query.observers.filter { $0.events.willFetch != nil }, cancellation: cancellation,
        deadline: round.ground.deadline())
    }
    var times = FetchTimes(wokenAt: item.wokenAt, begun: round.ground.clock.now())
    let result = Result { try run(fetch) }
    times.fetched = round.ground.clock.now()
    complete(item, result, round, times)
  }

  /// A fetch has ended: its value goes to those that it is for, and the query rests, or waits for the next one.
  private func complete(
    _ item: LiveState.Round.Item, _ result: Result<LiveFetch.Outcome, any Error>, _ round: LiveState.Round,
    _ times: FetchTimes? = nil
  ) {
    switch result {
    case .success(let outcome):
      let (receivers, newRegion) = state.withLock { $0.settle(item, outcome, round) }
      var falseWakeCount = 0
      for observer in receivers {
        if let newRegion { observer.events.willTrackRegion?(newRegion) }
        if !outcome.handOver(observer) { falseWakeCount += 1 }
      }
      let delivered = round.ground.clock.now()
      perform(
        state.withLock { state in
          if var times {
            times.delivered = delivered
            times.falseWakeCount = falseWakeCount
            state.measure(times)
          }
          state.rest(item.query)
          return state.nextWork()
        })
    case .failure(let error):
      let (failed, work, _) = state.withLock { state in
        let (failed, work) = state.settle(item, error)
        return (failed, work, state.leaveIfUnused())
      }
      for observer in failed { observer.fail(error) }
      perform(work)
    }
  }

  // MARK: - Metrics

  /// What the live queries of a database have done.
  static func metrics(of ground: _DatabaseGround) -> LiveMetrics {
    var metrics = LiveMetrics()
    if ground.writer != nil { metrics = engine(of: ground).state.withLock { $0.currentMetrics } }
    (metrics.busyReaderCount, metrics.waitingReadCount) = ground.load
    return metrics
  }
}

extension Database {
  /// Has the transaction that was begun take its state now.
  func pinState() throws {
    // A transaction takes its state at its first read.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
  }
}
