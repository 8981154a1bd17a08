extension LiveState {
  /// Begins a batch of all queries of a queue.
  ///
  /// - Returns: The batch, and all queries of the queue. Queries without observers are released outside of the lock.
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

  /// Returns the next query to fetch in a batch, and the work to perform before: a request for help if the batch takes
  /// long.
  mutating func nextFetch(
    in batch: FetchBatch, _ now: Duration
  ) -> (item: FetchBatch.Item, fetch: LiveFetch, work: LiveWork?)? {
    guard let item = batch.next(now) else { return nil }
    fetchQueues.lastActivity = now
    let query = item.query
    let cancellation = AccessCancellation()
    query.cancellation = cancellation
    // The query has lost its last observer since the batch began.
    if queries[query.key] !== query { cancellation.cancel() }
    let fetch = LiveFetch(
      source: query.source, findsRegion: query.mustFindRegion, lastReadSet: query.lastReadSet,
      schemaVersion: item.pendingReasons.contains(.externalCommit) ? query.schemaVersion : nil,
      observers: query.observers.filter { $0.events.willFetch != nil }, snapshotChanges: item.snapshotChanges,
      isReading: !query.key.requiresWriteAccess,
      isDigested: externalCommits?.canReportCommits == true && !query.key.requiresWriteAccess
        && !query.source.isIncremental,
      cancellation: cancellation, deadline: batch.core.deadline())
    var work = requestHelp(batch, now)
    // The requested connection may not be able to help.
    if let watchdog = scheduleBatchCheck(batch) {
      if work == nil { work = LiveWork(core: batch.core) }
      work?.watchdog = watchdog
    }
    return (item, fetch, work)
  }

  /// Reports that a connection has nothing to fetch.
  ///
  /// - Returns: The flag to poll, and until when, if polling is likely to succeed.
  mutating func beginPolling() -> (snapshotChanges: LivePolling.WorkFlag, clock: MonotonicClock, end: Duration)? {
    guard let core, fetchQueues.readerCount == 1, fetchQueues.reading.isEmpty else { return nil }
    return polling.begin(at: core.clock.now()).map { ($0, core.clock, $1) }
  }

  // MARK: Helping

  /// Marks a batch as shared: other connections may read its snapshot.
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

  /// Schedules a check whether the batch takes long: its next fetch may be slow.
  private mutating func scheduleBatchCheck(_ batch: FetchBatch) -> Int? {
    guard fetchQueues.watchdog == nil, sharedBatches.contains(where: { $0 === batch && !$0.items.isEmpty }) else {
      return nil
    }
    return fetchQueues.beginWatchdog()
  }

  /// Checks whether batches take long, and whether waiting queries are served.
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

  // MARK: Number of connections

  /// The maximum number of connections in a batch that takes long: one per processor, so that commits can run between
  /// the fetches. On one processor there may be two: if a query waits, the other ones proceed.
  private var helpedReaderCountMax: Int { min(core?.fetchCountMax ?? 0, max(2, SystemThread.processorCount)) }

  /// How long fetches may run without an event before another connection is requested for a batch of its own.
  ///
  /// Such batches follow commits, and the writer needs a processor, too: one processor stays available unless a query
  /// is slow. (Benchmarks: `live`.)
  var responseTimeout: Duration {
    fetchQueues.readerCount < max(1, SystemThread.processorCount - 1)
      ? FetchBatch.helpDelay : FetchBatch.singleProcessorHelpDelay
  }

  /// Returns a batch that a connection can help with.
  ///
  /// - Parameter number: The number of a batch that it has helped with, or could not: its snapshot is newer than those
  ///   of earlier batches.
  mutating func joinBatch(after number: Int) -> FetchBatch? {
    guard let batch = sharedBatches.first(where: { $0.wantsHelp && $0.number > number }) else { return nil }
    batch.readerCount += 1
    return batch
  }

  /// Reports that a connection has left a batch.
  mutating func leave(_ batch: FetchBatch) {
    batch.readerCount -= 1
    if batch.readerCount > 0 { return }
    sharedBatches.removeAll { $0 === batch }
    for item in batch.takeRemaining() { requeue(item) }
    log.end(batch.fetchStart.commit)
  }
}
