// Commits, and the fetches that they cause.

extension LiveState {
  /// A commit was reported.
  ///
  /// - Parameter isUnknown: Whether anything may have changed.
  /// - Parameter writeCount: The number of commits that have written.
  /// - Returns: Whether there is work: most commits concern no query.
  mutating func commitReported(
    _ changes: CommittedChanges, isUnknown: Bool, writeCount: UInt64?, at now: Duration
  ) -> Bool {
    let wakeCount = metrics.wakeCount
    if log.hasRunningFetches {
      log.append(
        changes.kept().tables, rowCount: changes.log.records.count, isUnknown: isUnknown,
        needsVersion: changes.needsVersion)
    } else {
      log.skip()
    }
    metrics.commitCount += 1
    let own = ownCommit == nil ? nil : noteOwnCommit(writeCount)
    if isUnknown {
      for query in queries.ids {
        // The statements may read other columns now: a table was dropped, and created again.
        queries[query].forgetReadSet()
        queries[query].note(.any)
        wake(query, .change, at: now, by: own)
      }
    } else {
      for table in changes.tables {
        index.match(table) { query in
          // Several rows of a commit may affect it.
          if queries[query].lastWake != log.last { queries[query].note(table) }
          wake(query, .change, at: now, by: own)
        }
      }
      if changes.needsVersion < publishedNeedsVersion {
        for query in queries.ids where queries[query].needsVersion > changes.needsVersion {
          queries[query].note(.any)
          wake(query, .change, at: now, by: own)
        }
      }
    }
    work.confirmsCommit = incrementalQueryCount > 0 && !changes.isContinued
    if metrics.wakeCount == wakeCount { return work.confirmsCommit }
    requestReaders(at: now)
    return true
  }

  /// External commits were detected: their changes are unknown.
  mutating func externalCommitDetected(at now: Duration) {
    log.append(ShortList(), rowCount: 0, isUnknown: true, isExternal: true)
    metrics.externalCommitCount += 1
    unknownCommits.add(at: now)
    externalCommitNumbering.changesAreUnknown()
    if busyQueryCount < queries.count { unknownCommits.concernIdleQueries = true }
    if notifiesOfCommits {
      for query in queries.ids { work.notified += queries[query].observers(interestedIn: .databaseDidChange) }
    }
    requestReaders(at: now)
  }

  /// Queues the queries that wait because of external commits, unless there is a pause.
  mutating func queueOutdated(at now: Duration) {
    if pace.pause(at: now) > .zero { return }
    if unknownCommits.concernIdleQueries { queueIdle() }
    for query in readers.deferred {
      guard queries.contains(query), queries[query].machine.release() else { continue }
      enqueue(query)
    }
    readers.deferred.removeAll(keepingCapacity: true)
  }

  // Not a part of the method above: the optimizer (6.3.1) would not end.
  private mutating func queueIdle() {
    unknownCommits.concernIdleQueries = false
    for query in queries.ids where queries[query].machine.isIdle { requestFetchIfOutdated(query) }
  }

  /// Requests another fetch of a query if there were external commits with unknown changes since its last one began.
  mutating func requestFetchIfOutdated(_ query: LiveQueryID) {
    guard queries[query].unknownCommitCount < unknownCommits.count else { return }
    queries[query].note(.any)
    queries[query].unknownCommitCount = unknownCommits.count
    if queries[query].wokenAt == nil {
      queries[query].wokenAt = unknownCommits.last
      metrics.wakeCount += 1
    }
    requestFetch(query, .externalCommit)
  }

  /// - Parameter own: The query whose fetch has made the commit: it is not woken.
  mutating func wake(
    _ query: LiveQueryID, _ reasons: LiveQueryMachine.FetchReasons, at now: Duration, by own: LiveQueryKey? = nil
  ) {
    if queries[query].lastWake == log.last { return }
    queries[query].lastWake = log.last
    if let own, queries[query].facts.key == own {
      ownCommit?.isOfQuery = true
      return
    }
    if queries[query].wokenAt == nil { queries[query].wokenAt = now }
    metrics.wakeCount += 1
    requestFetch(query, reasons)
    if queries[query].interests.contains(.databaseDidChange) {
      work.notified += queries[query].observers(interestedIn: .databaseDidChange)
    }
  }

  /// Requests a fetch of a query. Its changes are noted before.
  mutating func requestFetch(_ query: LiveQueryID, _ reasons: LiveQueryMachine.FetchReasons) {
    if queries[query].machine.isIdle { busyQueryCount += 1 }
    if queries[query].machine.requestFetch(reasons) { enqueue(query) }
  }

  /// The fetch of a query has ended. It is queued again if another one was requested meanwhile.
  mutating func queueAfterFetch(_ query: LiveQueryID) {
    if queries[query].machine.end() {
      enqueue(query)
    } else if queries[query].machine.isDeferred {
      readers.deferred.append(query)
    } else {
      busyQueryCount -= 1
    }
  }

  mutating func enqueue(_ query: LiveQueryID) {
    if queries[query].facts.key.requiresWriteAccess {
      readers.writing.append(query)
    } else {
      readers.reading.append(query)
    }
  }

  /// Requests connections for the queries that wait.
  mutating func requestReaders(at now: Duration) {
    if readerCountMax == 0 { return }
    if hasReads(at: now) {
      if readers.count < readerCountMax { requestReader(at: now) }
    } else if isExternalWaiting {
      startWatchdog(after: pace.pause(at: now))
    }
    requestWriter()
  }

  /// Whether there is something to do for a connection that reads.
  func hasReads(at now: Duration) -> Bool {
    !readers.reading.isEmpty || isExternalWaiting && pace.pause(at: now) == .zero
  }

  /// Whether there is something to do because of external commits.
  private var isExternalWaiting: Bool {
    storedChanges.isWaiting || unknownCommits.concernIdleQueries || !readers.deferred.isEmpty
  }

  mutating func requestWriter() {
    if readers.writing.isEmpty || readers.hasWriter { return }
    readers.hasWriter = true
    work.startsWriting = true
  }

  private mutating func requestReader(at now: Duration) {
    if readers.count == 0 || now - readers.lastActivity >= policy.responseTimeout(readerCount: readers.count) {
      readers.count += 1
      readers.lastActivity = now
      work.startsReading = true
    } else {
      // Unless a fetch takes long, a connection that is fetching takes these queries earlier than another connection
      // could.
      startWatchdog()
    }
  }

  /// - Parameter pause: A shorter delay.
  mutating func startWatchdog(after pause: Duration = .seconds(1)) {
    guard readers.watchdog == nil else { return }
    readers.watchdogCount += 1
    readers.watchdog = readers.watchdogCount
    work.watchdog = (readers.watchdogCount, min(pause, policy.slowFetchDelay))
  }
}

// Fetches that may write.
//
// The writes of such a fetch are committed when it ends, and the connection reports this commit like any other. An
// observation must not be triggered by its own fetch, because the value already includes these writes. So the commit is
// recognized by the number of writing commits. The connection is in use from the beginning of the transaction to the
// end of the commit, so the next counted commit is the commit of the fetch. (An immediate transaction is counted even
// if it has not written anything.) Writes of transaction observers after the commit are another commit, with the next
// number.

extension LiveState {
  /// A fetch that is about to be committed.
  struct OwnCommit: Sendable {
    let key: LiveQueryKey

    /// The commits that the value includes, except its own.
    var fetchStart: FetchStart

    /// Whether the commit may have changed the value that other observers of the query have received.
    var isOfQuery = false
  }

  /// The transaction of a fetch is about to be committed. The writer connection is in use.
  ///
  /// - Parameter writeCount: The number of commits before it.
  mutating func willCommitOwn(_ key: LiveQueryKey, writeCount: UInt64?) {
    // The number of the own commit. Later commits have greater numbers.
    ownCommit = OwnCommit(
      key: key,
      fetchStart: FetchStart(
        commit: log.last, writeCount: writeCount.map { $0 &+ 1 }, needsVersion: publishedNeedsVersion,
        isUnwatched: readerCountMax == 0))
  }

  /// - Returns: The query whose fetch was committed; nil for any other commit.
  private mutating func noteOwnCommit(_ writeCount: UInt64?) -> LiveQueryKey? {
    guard let own = ownCommit, own.fetchStart.ownCommit == nil, own.fetchStart.writeCount == writeCount else {
      return nil
    }
    ownCommit?.fetchStart.ownCommit = log.last
    return own.key
  }
}
