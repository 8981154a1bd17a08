// Fetches run in batches: when a connection is available, it fetches all waiting queries from one snapshot. Later
// queries wait for the next batch, which another connection may begin immediately. If a batch takes long, other
// connections that read the same state help.

extension LiveState {
  /// A fetch to run.
  struct Fetch: Sendable {
    var item: FetchBatch.Item
    var findsRegion: Bool
    var lastReadSet: ReadSet?
    var schemaVersion: Int32?

    var requiresWriteAccess: Bool

    /// The observers to notify of the fetch.
    var observers: [LiveObserverID]
  }

  // MARK: Connections

  /// A connection is available for fetches, or has fetched what it could.
  ///
  /// - Returns: A new batch of all waiting queries, if there are any.
  mutating func batchBegan(writing: Bool = false, writeCount: UInt64?, at now: Duration) -> FetchBatch.Facts? {
    if readerCountMax == 0 { return nil }
    queueOutdated(at: now)
    requestWriter()
    var waiting = ShortList<LiveQueryID>()
    if writing {
      swap(&waiting, &readers.writing)
    } else {
      swap(&waiting, &readers.reading)
    }
    var (items, isIncremental, reportsVersion) = ([FetchBatch.Item](), false, false)
    for query in waiting where queries.contains(query) {
      requestFetchIfOutdated(query)
      let facts = queries[query].facts
      isIncremental = isIncremental || facts.isIncremental
      reportsVersion = reportsVersion || facts.reportsVersion
      items.append(
        FetchBatch.Item(
          query: query, pendingReasons: queries[query].machine.begin(), wokenAt: queries[query].wokenAt,
          isIncremental: facts.isIncremental))
      queries[query].wokenAt = nil
    }
    if items.isEmpty { return nil }
    batchNumber += 1
    // Fetches with write access exclude other writes.
    let facts = FetchBatch.Facts(
      number: batchNumber, fetchStart: beginFetch(writeCount: writing ? nil : writeCount), isLarge: items.count > 1,
      isExternal: items.contains(where: \.pendingReasons.includesExternal), isIncremental: isIncremental,
      reportsVersion: reportsVersion)
    batches.append(FetchBatch(facts, items, at: now))
    return facts
  }

  /// A connection is about to leave. While it is counted, no other one is requested.
  ///
  /// - Parameter number: The number of the last batch that this connection has helped with, or could not: its snapshot
  ///   is newer than the snapshots of earlier batches.
  /// - Returns: A batch that needs help: the connection stays.
  mutating func readerLeaves(after number: Int, at now: Duration) -> FetchBatch.Facts? {
    if let facts = batchJoined(after: number) { return facts }
    readers.count -= 1
    requestReaders(at: now)
    return nil
  }

  /// A connection can help with a batch.
  mutating func batchJoined(after number: Int) -> FetchBatch.Facts? {
    guard let index = batches.firstIndex(where: { $0.wantsHelp && $0.facts.number > number }) else { return nil }
    batches[index].readerCount += 1
    return batches[index].facts
  }

  /// The connection for fetches with write access leaves.
  mutating func writerLeaves(at now: Duration) {
    readers.hasWriter = false
    requestReaders(at: now)
  }

  // MARK: Batches

  /// Changes a batch that has not ended.
  mutating func withBatch<Result>(_ number: Int, _ body: (inout FetchBatch) -> Result) -> Result {
    guard let index = batches.firstIndex(where: { $0.facts.number == number }) else {
      preconditionFailure("The batch has ended")
    }
    return body(&batches[index])
  }

  /// A connection asks for the next query of a batch. If the batch takes long, another connection is requested.
  mutating func nextFetch(in number: Int, at now: Duration) -> Fetch? {
    while let item = withBatch(number, { $0.next(now) }) {
      // It has lost its last observer since the batch began.
      guard queries.contains(item.query) else { continue }
      readers.lastActivity = now
      requestHelp(number, now)
      // The requested connection may not be able to help.
      if withBatch(number, { $0.hasWaitingQueries }) { startWatchdog() }
      return fetch(item, queries[item.query])
    }
    return nil
  }

  private func fetch(_ item: FetchBatch.Item, _ query: LiveQuery) -> Fetch {
    Fetch(
      item: item, findsRegion: query.mustFindRegion, lastReadSet: query.lastReadSet,
      schemaVersion: item.pendingReasons.contains(.externalCommit) ? query.schemaVersion : nil,
      requiresWriteAccess: query.facts.key.requiresWriteAccess, observers: query.observers(interestedIn: .willFetch))
  }

  /// Notes the changed rows of the queries of a batch, before its snapshot is taken: it contains all commits up to now.
  mutating func rowsNoted(in number: Int, externalCommitCount: Int64) {
    var batch = withBatch(number) { $0 }
    let externalCommits = externalCommitNumbering.number(of: externalCommitCount)
    batch.noteRows(upTo: log.last, externalCommits: externalCommits) { query in
      guard queries.contains(query), queries[query].unknownCommitCount == unknownCommits.count else { return .any }
      return queries[query].takeChangedRows()
    }
    withBatch(number) { $0 = batch }
  }

  /// The snapshot of a batch contains no unreported commits.
  ///
  /// - Returns: Whether only the noted rows have changed in it. A commit that was reported meanwhile may belong to this
  ///   snapshot, or to a later one.
  mutating func snapshotIdentified(in number: Int, externalCommitCount: Int64) -> Bool {
    let last = log.last
    externalCommitNumbering.stateIsRead(externalCommitCount)
    let externalCommits = externalCommitNumbering.number(of: externalCommitCount)
    return withBatch(number) { batch in
      guard last == batch.lastNotedCommit else { return false }
      batch.markChangesComplete(externalCommits: externalCommits)
      return true
    }
  }

  /// A connection has left a batch.
  mutating func batchLeft(_ number: Int, from start: Duration, to now: Duration) {
    guard let index = batches.firstIndex(where: { $0.facts.number == number }) else { return }
    if batches[index].facts.isExternal { pace.worked(from: start, to: now) }
    batches[index].readerCount -= 1
    if batches[index].readerCount > 0 { return }
    var batch = batches.remove(at: index)
    for item in batch.takeRemaining() { requeue(item) }
    log.end(batch.facts.fetchStart.commit)
  }

  /// A connection of a batch has failed.
  ///
  /// - Returns: The queries that fail with it; none if other connections continue.
  mutating func batchFailed(_ number: Int) -> ArraySlice<FetchBatch.Item> {
    withBatch(number) { $0.readerCount == 1 ? $0.takeRemaining() : [] }
  }

  /// Handles a query that its batch could not fetch, for reasons that do not concern the query.
  private mutating func requeue(_ item: FetchBatch.Item) {
    guard queries.contains(item.query) else { return }
    queries[item.query].wokenAt = [queries[item.query].wokenAt, item.wokenAt].compactMap { $0 }.min()
    queries[item.query].note(item.snapshotChanges.rows)
    requestFetch(item.query, item.pendingReasons)
    endFetch(item.query)
  }

  // MARK: Helping

  private mutating func requestHelp(_ number: Int, _ now: Duration) {
    guard readers.count < min(readerCountMax, policy.helpedReaderCountMax) else { return }
    let delay = policy.helpDelay
    let isNeeded = withBatch(number) { batch in
      guard batch.wantsHelp, now - batch.helpRequestedAt >= delay else { return false }
      batch.helpRequestedAt = now
      return true
    }
    guard isNeeded else { return }
    readers.lastActivity = now
    readers.count += 1
    work.startsReading = true
  }

  /// A watchdog has ended: checks whether batches take long, and whether waiting queries are served.
  mutating func watchdogEnded(_ number: Int, at now: Duration) {
    if readers.watchdog == number { readers.watchdog = nil }
    if readerCountMax == 0 { return }
    for index in batches.indices where batches[index].isStuck(at: now, policy) {
      for item in batches[index].takeRemaining() { requeue(item) }
    }
    if let batch = batches.first(where: \.wantsHelp) { requestHelp(batch.facts.number, now) }
    if !work.startsReading { requestReaders(at: now) }
    if batches.contains(where: \.hasWaitingQueries) { startWatchdog() }
  }
}
