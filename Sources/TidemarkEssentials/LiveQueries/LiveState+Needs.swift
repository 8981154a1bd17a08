// The commits that the engine receives, and the changes that they must report.

extension LiveState {
  // MARK: The watch

  mutating func beginWatch() {
    guard case .none = watch else { return }
    watch = .beginning
    watchNumber += 1
    work.beginsWatch = LiveWork.Needs(needs: index.needs, version: index.needsVersion, watch: watchNumber)
  }

  /// The engine receives the commits of the database.
  ///
  /// - Parameter version: The version under which commits are captured for the needs.
  mutating func watchBegan(
    _ needs: LiveWork.Needs, version: Int, readerCountMax: Int, writeCount: UInt64?, at now: Duration
  ) {
    precondition(needs.watch == watchNumber, "A watch began that was not requested")
    watch = .active(readerCountMax: readerCountMax)
    endWatchIfUnused()
    needsPublished(needs, version: version, writeCount: writeCount, at: now)
  }

  /// Releases all resources when the last observation has ended.
  mutating func endWatchIfUnused() {
    guard queries.isEmpty, immediateFetchCount == 0, case .active = watch else { return }
    watch = .none
    (readers.reading, readers.writing) = (ShortList(), ShortList())
    unknownCommits.concernIdleQueries = false
    readers.deferred = []
    storedChanges.cancel()
    notifiesOfCommits = false
    published = PublishedNeeds()
    work.publishesNeeds = nil
    work.endsWatch = true
    for fetch in unconfirmed { log.end(fetch.start.commit) }
    unconfirmed = []
  }

  /// The maximum number of connections that fetch; zero if the engine does not receive the commits.
  var readerCountMax: Int { if case .active(let count) = watch { count } else { 0 } }

  // MARK: Regions and needs

  /// Sets the region that a query has read.
  ///
  /// - Returns: Whether an observer wants to be notified of it.
  @discardableResult
  mutating func track(_ region: DatabaseRegion, _ query: LiveQueryID) -> Bool {
    if queries[query].region == region { return false }
    untrack(query)
    let isReported = queries[query].interests.contains(.willTrackRegion)
    if isReported { queries[query].region = region }
    queries[query].registration = index.insert(region, query, reportsRows: queries[query].facts.isIncremental)
    queries[query].needsVersion = published.version
    publishNeeds()
    return isReported
  }

  mutating func untrack(_ query: LiveQueryID) {
    if let registration = queries[query].registration { index.remove(registration, query) }
    queries[query].registration = nil
    queries[query].region = nil
  }

  mutating func publishNeeds() {
    if published.indexVersion == index.needsVersion { return }
    if published.isPublishing {
      // The thread that publishes may not have taken its work yet.
      guard work.publishesNeeds != nil else { return }
    }
    guard case .active = watch else { return }
    published.isPublishing = true
    work.publishesNeeds = LiveWork.Needs(needs: index.needs, version: index.needsVersion, watch: watchNumber)
  }

  /// The needs were published.
  ///
  /// - Parameter version: The version under which commits are captured for them.
  /// - Parameter writeCount: The number of commits afterwards.
  mutating func needsPublished(_ needs: LiveWork.Needs, version: Int, writeCount: UInt64?, at now: Duration) {
    guard needs.watch == watchNumber, case .active = watch else { return }
    published = PublishedNeeds(isPublishing: false, indexVersion: needs.version, version: version)
    publishNeeds()
    let fetches = unconfirmed
    unconfirmed = []
    for fetch in fetches {
      if fetch.indexVersion > needs.version {
        unconfirmed.append(fetch)
        continue
      }
      // The log keeps the commits since the fetch until they are checked.
      defer { log.end(fetch.start.commit) }
      guard queries.contains(fetch.query) else { continue }
      queries[fetch.query].needsVersion = version
      if let reasons = reasons(fetch.region, of: fetch.query, since: fetch.start, writeCount: writeCount) {
        outdated(fetch.query, reasons)
      }
    }
    requestReaders(at: now)
  }

  /// Has the result of a fetch checked again if its needs are not published yet.
  mutating func confirm(_ query: LiveQueryID, _ region: DatabaseRegion, _ fetchStart: FetchStart) {
    if published.indexVersion == index.needsVersion { return }
    log.hold(fetchStart.commit)
    unconfirmed.append(
      UnconfirmedFetch(query: query, region: region, start: fetchStart, indexVersion: index.needsVersion))
  }

  /// Begins a fetch, whose snapshot is taken later, or includes the same commits.
  mutating func beginFetch(writeCount: UInt64?) -> FetchStart {
    var start = FetchStart(commit: log.begin(), writeCount: writeCount, needsVersion: published.version)
    if case .active = watch {} else { start.isUnwatched = true }
    return start
  }

  /// The version of the needs for which commits are captured.
  var publishedNeedsVersion: Int { published.version }

  /// Returns the reasons for another fetch, if a commit since the beginning of a fetch may have changed its result.
  ///
  /// - Parameter writeCount: The number of commits now.
  /// - Parameter mayNeedMore: Whether the index may not contain the region of the fetch.
  func reasons(
    _ region: DatabaseRegion, of query: LiveQueryID, since fetchStart: FetchStart, writeCount: UInt64?,
    mayNeedMore: Bool = false
  ) -> LiveQueryMachine.FetchReasons? {
    if fetchStart.isUnwatched { return .change }
    let needsVersion = queries[query].needsVersion
    if needsVersion > fetchStart.needsVersion || mayNeedMore, let begun = fetchStart.writeCount, begun != writeCount {
      return .change
    }
    if log.contains(
      after: fetchStart.commit, but: fetchStart.ownCommit, needsVersion: needsVersion, where: { $0.touches(region) })
    {
      return .change
    }
    return log.hasExternalCommits(after: fetchStart.commit) ? .externalCommit : nil
  }

  /// Schedules another fetch of a query whose fetch is outdated.
  mutating func outdated(_ query: LiveQueryID, _ reasons: LiveQueryMachine.FetchReasons) {
    queries[query].note(.any)
    // After an external commit, the next fetch compares the versions of the schema.
    if reasons != .externalCommit { queries[query].forgetReadSet() }
    requestFetch(query, reasons)
  }
}
