extension LiveState {
  /// Begins to fetch all queries of a line.
  ///
  /// - returns: The round, and all queries of the line. Those that are not observed any more are to be released outside
  ///   of the lock.
  mutating func beginBatch(_ queue: FetchQueue) -> (batch: FetchBatch?, queue: ShortList<LiveQuery>) {
    let all = fetchQueues.take(queue)
    let waiting = all.filter { queries[$0.key] === $0 }
    guard let core, !waiting.isEmpty else { return (nil, all) }
    batchNumber += 1
    let batch = FetchBatch(
      core, number: batchNumber, fetchStart: begin(isAlone: queue == .writing), externalCommits,
      waiting.map { query in
        defer { query.wokenAt = nil }
        return FetchBatch.Item(query: query, pendingReasons: query.machine.begin(), wokenAt: query.wokenAt)
      })
    return (batch, all)
  }

  /// The next query to fetch in a round, and what is to be done before: others are asked to help when it takes long.
  mutating func nextFetch(
    in batch: FetchBatch, _ now: Duration
  ) -> (item: FetchBatch.Item, fetch: LiveFetch, work: LiveWork?)? {
    guard let item = batch.next(now) else { return nil }
    fetchQueues.lastActivity = now
    let query = item.query
    let cancellation = AccessCancellation()
    query.cancellation = cancellation
    // Nobody observes it any more since the round began.
    if queries[query.key] !== query { cancellation.cancel() }
    let fetch = LiveFetch(
      source: query.source, findsRegion: query.mustFindRegion, lastReadSet: query.lastReadSet,
      schemaVersion: item.pendingReasons.contains(.externalCommit) ? query.schemaVersion : nil,
      observers: query.observers.filter { $0.events.willFetch != nil }, snapshotChanges: item.snapshotChanges,
      isReading: !query.key.requiresWriteAccess,
      isDigested: externalCommits != nil && !query.key.requiresWriteAccess && !query.source.isIncremental,
      cancellation: cancellation, deadline: batch.core.deadline())
    var work = requestHelp(batch, now)
    // Who is asked may not be of help.
    if let watchdog = scheduleBatchCheck(batch) {
      if work == nil { work = LiveWork(core: batch.core) }
      work?.watchdog = watchdog
    }
    return (item, fetch, work)
  }

  /// A connection has nothing to fetch.
  ///
  /// - returns: What to look at, and until when, if it is worth while to wait for more.
  mutating func beginPolling() -> (snapshotChanges: LivePolling.WorkFlag, clock: MonotonicClock, end: Duration)? {
    guard let core, fetchQueues.readerCount == 1, fetchQueues.reading.isEmpty else { return nil }
    return polling.begin(at: core.clock.now()).map { ($0, core.clock, $1) }
  }

  // MARK: Helping

  /// There are other connections for the queries of a round, and some may read the state that it reads.
  mutating func share(_ batch: FetchBatch, _ header: WALIndexHeader?) {
    batch.header = header
    sharedBatches.append(batch)
  }

  private mutating func requestHelp(_ batch: FetchBatch, _ now: Duration) -> LiveWork? {
    guard batch.wantsHelp, now - batch.helpRequestedAt >= FetchBatch.helpDelay,
      fetchQueues.readerCount < helpedReaderCountMax
    else {
      return nil
    }
    batch.helpRequestedAt = now
    fetchQueues.lastActivity = now
    fetchQueues.readerCount += 1
    return LiveWork(core: batch.core, startsReading: true)
  }

  /// Has somebody look in a while whether the round takes long: it may be the next fetch that does.
  private mutating func scheduleBatchCheck(_ batch: FetchBatch) -> Int? {
    guard fetchQueues.watchdog == nil, sharedBatches.contains(where: { $0 === batch && !$0.items.isEmpty }) else {
      return nil
    }
    return fetchQueues.beginWatchdog()
  }

  /// The moment has come to look whether the rounds take long, and whether those who wait are served.
  mutating func checkBatches() -> LiveWork {
    guard let core else { return LiveWork() }
    let now = core.clock.now()
    for batch in sharedBatches where batch.isStuck(at: now) {
      for item in batch.takeRemaining() { requeue(item) }
    }
    var work = sharedBatches.first(where: \.wantsHelp).flatMap { requestHelp($0, now) } ?? nextWork()
    if work.watchdog == nil, fetchQueues.watchdog == nil, sharedBatches.contains(where: { !$0.items.isEmpty }) {
      work.watchdog = fetchQueues.beginWatchdog()
    }
    return work
  }

  // How many connections fetch. Those that wait for a processor fetch nothing, and look as if their queries were slow.

  /// In a round that takes long, one on each processor: who commits has its turn between the fetches. (On one processor
  /// there may be two: where a query waits for something else, the other ones go on.)
  private var helpedReaderCountMax: Int { min(core?.fetchCountMax ?? 0, max(2, SystemThread.processorCount)) }

  /// How long those who fetch may give no sign before another connection is asked for, for a round of its own.
  ///
  /// Those rounds follow the commits, and who commits needs a processor, too: one remains free, as long as no query is
  /// slow. (Benchmarks: `live`.)
  var responseTimeout: Duration {
    fetchQueues.readerCount < max(1, SystemThread.processorCount - 1)
      ? FetchBatch.helpDelay : FetchBatch.singleProcessorHelpDelay
  }

  /// Somebody is there to help.
  ///
  /// - parameter number: That of a round in which it has helped, or could not: its state is newer than that of those
  ///   before.
  mutating func joinBatch(after number: Int) -> FetchBatch? {
    guard let batch = sharedBatches.first(where: { $0.wantsHelp && $0.number > number }) else { return nil }
    batch.readerCount += 1
    return batch
  }

  /// A connection fetches no more in a round.
  mutating func leave(_ batch: FetchBatch) {
    batch.readerCount -= 1
    if batch.readerCount > 0 { return }
    sharedBatches.removeAll { $0 === batch }
    for item in batch.takeRemaining() { requeue(item) }
    log.end(batch.fetchStart.commit)
  }
}
