// Fetches run in rounds: all queries that wait when a connection is there, one after the other, on one snapshot. What
// comes meanwhile waits for the next round, which another connection may begin at once.

extension LiveEngine {
  /// Fetches the queries that wait, until none does.
  func readRounds(_ result: Result<Database, any Error>) {
    while let round = state.withLock({ $0.beginRound(\.reading) }) {
      switch result {
      case .success(let db): read(round, db)
      case .failure(let error): fail(round.items[...], error, round)
      }
      state.withLock { $0.endRound(round) }
      // The others who use the only connection have their turn.
      if state.withLock({ $0.ground?.fetchesExcludeWrites ?? true }) { break }
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
        let fetched = Result { try result.get().committing { try fetch(item.query, $0) } }
        complete(item.query, item.wishes, fetched, round)
      }
      state.withLock { $0.endRound(round) }
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
        while let item = rest.first {
          let fetched = Result { try fetch(item.query, db) }
          if case .failure(let error) = fetched, !db.isInsideTransaction { throw error }
          rest = rest.dropFirst()
          complete(item.query, item.wishes, fetched, round)
        }
      }
    } catch {
      // SQLite has ended the transaction, or it could not be begun: there is no state to read.
      if !rest.isEmpty { return fail(rest, error, round) }
      Database.log(error, "The read of live queries could not be ended")
    }
  }

  private func fail(
    _ items: ArraySlice<(query: LiveQuery, wishes: LiveQueryMachine.Wish)>, _ error: any Error,
    _ round: LiveState.Round
  ) {
    for item in items { complete(item.query, item.wishes, .failure(error), round) }
  }

  private func fetch(_ query: LiveQuery, _ db: Database) throws -> LiveFetch.Outcome {
    let fetch = state.withLock { state in
      LiveFetch(
        source: query.source, findsRegion: query.mustFindRegion, observers: query.observers.filter { $0.events.willFetch != nil },
        cancellation: query.cancellation, deadline: state.ground?.deadline())
    }
    return try fetch.run(db)
  }

  // MARK: - Results

  /// A fetch has ended: its value goes to those that it is for, and the query rests, or waits for the next one.
  private func complete(
    _ query: LiveQuery, _ wishes: LiveQueryMachine.Wish, _ result: Result<LiveFetch.Outcome, any Error>,
    _ round: LiveState.Round
  ) {
    switch result {
    case .success(let outcome):
      let (receivers, newRegion) = state.withLock { $0.settle(query, wishes, outcome, round) }
      for observer in receivers {
        if let newRegion { observer.events.willTrackRegion?(newRegion) }
        outcome.handOver(observer)
      }
      perform(
        state.withLock { state in
          state.rest(query)
          return state.nextWork()
        })
    case .failure(let error):
      let (failed, work, _) = state.withLock { state in
        let (failed, work) = state.settle(query, wishes, error)
        return (failed, work, state.leaveIfUnused())
      }
      for observer in failed { observer.fail(error) }
      perform(work)
    }
  }
}

extension Database {
  /// Has the transaction that was begun take its state now.
  func pinState() throws {
    // A transaction takes its state at its first read.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
  }
}
