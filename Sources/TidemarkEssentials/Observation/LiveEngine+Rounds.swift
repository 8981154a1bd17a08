// Fetches run in rounds: all queries that wait when a connection is there, on one snapshot. What comes meanwhile waits
// for the next round, which another connection may begin at once. When a round takes long, other connections that read
// the same state help.

extension LiveEngine {
  /// Fetches the queries that wait, until none does.
  func readRounds(_ result: Result<Database, any Error>) {
    var lastHelped = 0
    var joined = state.withLock { $0.joinRound(after: lastHelped) }
    while true {
      if let round = joined {
        lastHelped = round.number
        help(round, result)
        leave(round)
      }
      var last: LiveRound?
      while let round = nextRound(after: last) {
        read(round, result)
        last = round
        // Others who use the only connection have their turn.
        if round.ground.fetchesExcludeWrites {
          leave(round)
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
  private func nextRound(after last: LiveRound?) -> LiveRound? {
    let (round, polling, _) = state.withLock { state in
      if let last { state.leave(last) }
      let (round, line) = state.beginRound(.reading)
      return (round, round == nil ? state.beginPolling() : nil, line)
    }
    guard round == nil, let polling else { return round }
    // The clock may be one that does not go on by itself.
    var lookCount = 0
    while !polling.news.isSet, lookCount < 2_000, polling.clock.now() < polling.end { lookCount += 1 }
    return state.withLock { state in
      state.polling.end(hasWork: !state.lines.reading.isEmpty)
      return state.beginRound(.reading)
    }.round
  }

  /// Leaves, unless somebody wants help: as long as a connection is counted, nobody asks for another one.
  ///
  /// - parameter number: That of the last round that was helped in, or could not be.
  /// - returns: The round to help in.
  @discardableResult
  private func stopReading(after number: Int) -> LiveRound? {
    let (round, work) = state.withLock { state -> (LiveRound?, LiveWork) in
      if let round = state.joinRound(after: number) { return (round, LiveWork()) }
      state.lines.readerCount -= 1
      return (nil, state.nextWork())
    }
    perform(work)
    return round
  }

  /// Fetches the queries that wait and need to write.
  func writeRounds(_ result: Result<Database, any Error>) {
    if let round = state.withLock({ $0.beginRound(.writing) }).round {
      fetchAll(round) { fetch in
        let key = LiveQueryKey(fetch.source, requiresWriteAccess: true)
        let outcome = try writing(key) { willCommit in
          try result.get().committing { db in
            round.watching?.begin(with: db)
            // No other connection can commit meanwhile.
            let outcome = try (versioned(fetch, in: round.ground, db) ?? fetch).run(db)
            willCommit()
            return outcome
          }
        }
        guard let outcome else { preconditionFailure("Each fetch has an outcome") }
        return outcome
      }
      leave(round)
    }
    perform(
      state.withLock { state in
        state.lines.hasWriter = false
        return state.nextWork()
      })
  }

  private func read(_ round: LiveRound, _ result: Result<Database, any Error>) {
    do {
      let db = try result.get()
      var search = StateSearch(round)
      repeat {
        if round.followsRows { noteRows(of: round) }
      } while try !db.isolatedRead { try read(round, $0, &search) }
    } catch {
      // Those who help go on.
      let rest = state.withLock { _ in round.readerCount == 1 ? round.takeRest() : [] }
      if rest.isEmpty { return Database.log(error, "The read of live queries could not be ended") }
      for item in rest { complete(item, .failure(error), round) }
    }
  }

  /// - returns: False when nothing was fetched, as another state is better.
  private func read(_ round: LiveRound, _ db: Database, _ search: inout StateSearch) throws -> Bool {
    round.watching?.begin(with: db)
    // In a queue there is nobody else, to help or to write.
    let isAlone = round.ground.fetchesExcludeWrites
    let state = !isAlone && (round.isLarge || round.asksForState) ? try db.takeState() : TakenState()
    if round.asksForState, search.goesOn(try questions(state, round, db), round) { return false }
    if round.isLarge, !isAlone { self.state.withLock { $0.share(round, state.header) } }
    var look = LiveFetch.SchemaLook()
    fetchAll(round, while: { db.isInsideTransaction }) { try $0.run(db, &look) }
    return true
  }

  /// Fetches in the round of another connection, if the state is the same.
  private func help(_ round: LiveRound, _ result: Result<Database, any Error>) {
    do {
      try result.get().isolatedRead { db in
        guard let header = try db.takeState().header, header == round.header else { return }
        var look = LiveFetch.SchemaLook()
        fetchAll(round, while: { db.isInsideTransaction }) { try $0.run(db, &look) }
      }
    } catch {
      Database.log(error, "A connection could not help to fetch live queries")
    }
  }

  private func leave(_ round: LiveRound) {
    // What SQLite has ended the transaction before, after an error, has its turn in the next round.
    state.withLock { $0.leave(round) }
  }

  /// Fetches what nobody else fetches in a round.
  private func fetchAll(
    _ round: LiveRound, while goesOn: () -> Bool = { true }, _ run: (LiveFetch) throws -> LiveFetch.Outcome
  ) {
    while goesOn() {
      let now = round.ground.clock.now()
      guard let (item, fetch, work) = state.withLock({ $0.nextFetch(in: round, now) }) else { return }
      if let work { perform(work) }
      var times = FetchTimes(wokenAt: item.wokenAt, begun: now)
      let result = Result { try run(fetch) }
      times.fetched = round.ground.clock.now()
      complete(item, result, round, times)
      // It was the only one, and nobody else knows of the round.
      if !round.isLarge { return }
    }
  }
}
