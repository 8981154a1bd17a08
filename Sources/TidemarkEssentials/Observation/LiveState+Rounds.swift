extension LiveState {
  /// Begins to fetch all queries of a line.
  ///
  /// - returns: The round, and all queries of the line. Those that are not observed any more are to be released outside
  ///   of the lock.
  mutating func beginRound(_ line: Line) -> (round: LiveRound?, line: ShortList<LiveQuery>) {
    let all = lines.take(line)
    let waiting = all.filter { queries[$0.key] === $0 }
    guard let ground, !waiting.isEmpty else { return (nil, all) }
    roundNumber += 1
    let round = LiveRound(
      ground, number: roundNumber, begun: begin(isAlone: line == .writing), watching,
      waiting.map { query in
        defer { query.wokenAt = nil }
        return LiveRound.Item(query: query, wishes: query.machine.begin(), wokenAt: query.wokenAt)
      })
    return (round, all)
  }

  /// The next query to fetch in a round, and what is to be done before: others are asked to help when it takes long.
  mutating func nextFetch(
    in round: LiveRound, _ now: Duration
  ) -> (item: LiveRound.Item, fetch: LiveFetch, work: LiveWork?)? {
    guard let item = round.next(now) else { return nil }
    lines.lastSign = now
    let query = item.query
    let cancellation = AccessCancellation()
    query.cancellation = cancellation
    // Nobody observes it any more since the round began.
    if queries[query.key] !== query { cancellation.cancel() }
    let fetch = LiveFetch(
      source: query.source, findsRegion: query.mustFindRegion, lastSelection: query.lastSelection,
      schemaVersion: item.wishes.contains(.others) ? query.schemaVersion : nil,
      observers: query.observers.filter { $0.events.willFetch != nil }, news: item.news,
      isReading: !query.key.requiresWriteAccess,
      isDigested: watching != nil && !query.key.requiresWriteAccess && !query.source.followsRows,
      cancellation: cancellation, deadline: round.ground.deadline())
    var work = askForHelp(round, now)
    // Who is asked may not be of help.
    if let watch = watchRound(round) {
      if work == nil { work = LiveWork(ground: round.ground) }
      work?.watch = watch
    }
    return (item, fetch, work)
  }

  /// A connection has nothing to fetch.
  ///
  /// - returns: What to look at, and until when, if it is worth while to wait for more.
  mutating func beginPolling() -> (news: LivePolling.News, clock: WorldClock, end: Duration)? {
    guard let ground, lines.readerCount == 1, lines.reading.isEmpty else { return nil }
    return polling.begin(at: ground.clock.now()).map { ($0, ground.clock, $1) }
  }

  // MARK: Helping

  /// There are other connections for the queries of a round, and some may read the state that it reads.
  mutating func share(_ round: LiveRound, _ header: WALIndexHeader?) {
    round.header = header
    sharedRounds.append(round)
  }

  private mutating func askForHelp(_ round: LiveRound, _ now: Duration) -> LiveWork? {
    guard round.wantsHelp, now - round.askedAt >= LiveRound.patience, lines.readerCount < helpedReaderCountMax else {
      return nil
    }
    round.askedAt = now
    lines.lastSign = now
    lines.readerCount += 1
    return LiveWork(ground: round.ground, startsReading: true)
  }

  /// Has somebody look in a while whether the round takes long: it may be the next fetch that does.
  private mutating func watchRound(_ round: LiveRound) -> Int? {
    guard lines.watch == nil, sharedRounds.contains(where: { $0 === round && !$0.items.isEmpty }) else { return nil }
    return lines.beginWatch()
  }

  /// The moment has come to look whether the rounds take long, and whether those who wait are served.
  mutating func lookAfterRounds() -> LiveWork {
    guard let ground else { return LiveWork() }
    let now = ground.clock.now()
    for round in sharedRounds where round.isStuck(at: now) {
      for item in round.takeRest() { putBack(item) }
    }
    var work = sharedRounds.first(where: \.wantsHelp).flatMap { askForHelp($0, now) } ?? nextWork()
    if work.watch == nil, lines.watch == nil, sharedRounds.contains(where: { !$0.items.isEmpty }) {
      work.watch = lines.beginWatch()
    }
    return work
  }

  // How many connections fetch. Those that wait for a processor fetch nothing, and look as if their queries were slow.

  /// In a round that takes long, one on each processor: who commits has its turn between the fetches. (On one processor
  /// there may be two: where a query waits for something else, the other ones go on.)
  private var helpedReaderCountMax: Int { min(ground?.fetchCountMax ?? 0, max(2, SystemThread.processorCount)) }

  /// How long those who fetch may give no sign before another connection is asked for, for a round of its own.
  ///
  /// Those rounds follow the commits, and who commits needs a processor, too: one remains free, as long as no query is
  /// slow. (Benchmarks: `live`.)
  var patience: Duration {
    lines.readerCount < max(1, SystemThread.processorCount - 1) ? LiveRound.patience : LiveRound.longPatience
  }

  /// Somebody is there to help.
  ///
  /// - parameter number: That of a round in which it has helped, or could not: its state is newer than that of those
  ///   before.
  mutating func joinRound(after number: Int) -> LiveRound? {
    guard let round = sharedRounds.first(where: { $0.wantsHelp && $0.number > number }) else { return nil }
    round.readerCount += 1
    return round
  }

  /// A connection fetches no more in a round.
  mutating func leave(_ round: LiveRound) {
    round.readerCount -= 1
    if round.readerCount > 0 { return }
    sharedRounds.removeAll { $0 === round }
    for item in round.takeRest() { putBack(item) }
    log.end(round.begun.commit)
  }
}
