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
      while let round = state.withLock({ $0.beginRound(.reading) }) {
        read(round, result)
        leave(round)
        // Others who use the only connection have their turn.
        if round.ground.fetchesExcludeWrites {
          stopReading(after: .max)
          return
        }
      }
      joined = nil
      if poll() { continue }
      joined = stopReading(after: lastHelped)
      if joined == nil { return }
    }
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

  /// Waits for a moment with the processor.
  ///
  /// - returns: Whether there are queries to fetch.
  private func poll() -> Bool {
    guard let (news, clock, end) = state.withLock({ $0.beginPolling() }) else { return false }
    // The clock may be one that does not go on by itself.
    var lookCount = 0
    while !news.isSet, lookCount < 2_000, clock.now() < end { lookCount += 1 }
    return state.withLock { state in
      state.polling.end(hasWork: !state.lines.reading.isEmpty)
      return !state.lines.reading.isEmpty
    }
  }

  /// Fetches the queries that wait and need to write.
  func writeRounds(_ result: Result<Database, any Error>) {
    if let round = state.withLock({ $0.beginRound(.writing) }) {
      let watching = state.withLock(\.watching)
      fetchAll(round) { fetch in
        try result.get().committing { db in
          watching?.begin(with: db)
          return try fetch.run(db)
        }
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
      let watching = state.withLock(\.watching)
      try result.get().isolatedRead { db in
        watching?.begin(with: db)
        // In a queue there is nobody else to help.
        if round.isLarge, !round.ground.fetchesExcludeWrites {
          let header = try db.pinState()
          state.withLock { $0.share(round, header) }
        }
        var look = LiveFetch.SchemaLook()
        fetchAll(round, while: { db.isInsideTransaction }) { try $0.run(db, &look) }
      }
    } catch {
      // Those who help go on.
      let rest = state.withLock { _ in round.readerCount == 1 ? round.takeRest() : [] }
      if rest.isEmpty { return Database.log(error, "The read of live queries could not be ended") }
      for item in rest { complete(item, .failure(error), round) }
    }
  }

  /// Fetches in the round of another connection, if the state is the same.
  private func help(_ round: LiveRound, _ result: Result<Database, any Error>) {
    do {
      try result.get().isolatedRead { db in
        guard let header = try db.pinState(), header == round.header else { return }
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
    }
  }
}

extension Database {
  /// Has the transaction that was begun take its state now.
  ///
  /// - returns: What tells the state; nil where that cannot be told.
  func pinState() throws -> WALIndexHeader? {
    let header = handle?.walIndexHeader
    // A transaction takes its state at its first read.
    try execute(sql: "SELECT rootpage FROM sqlite_master LIMIT 1")
    // The head is that of the state if nobody has committed meanwhile.
    guard let header, header == handle?.walIndexHeaderOfLog else { return nil }
    return header
  }
}
