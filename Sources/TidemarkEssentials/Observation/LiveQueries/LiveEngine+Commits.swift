extension LiveEngine {
  /// Handles a successful commit, on the committing thread.
  func didCommit(_ changes: CommittedChanges) {
    let outcome = state.withLock { state -> (LiveWork, [AnyLiveObserver])? in
      let wakeCount = state.metrics.wakeCount
      let woken = state.wake(changes)
      // Fetching threads may start before the committing thread continues.
      if state.incrementalQueryCount > 0 { state.ownCommits?.didReport() }
      // Most commits concern no query, and leave no additional work.
      return state.metrics.wakeCount == wakeCount ? nil : (state.nextWork(), woken)
    }
    guard let (work, woken) = outcome else { return }
    for observer in woken { observer.events.databaseDidChange?() }
    perform(work)
  }
}

extension LiveEngine {
  /// Handles external commits, on the thread that has detected them.
  func externalCommitDetected() {
    let (work, woken) = state.withLock { state in
      let woken = state.wakeAll()
      return (state.nextWork(), woken)
    }
    for observer in woken { observer.events.databaseDidChange?() }
    perform(work)
  }
}

extension LiveState {
  /// Schedules a fetch of all queries: the changes of external commits are unknown.
  ///
  /// - Returns: The observers that want to be notified of it.
  mutating func wakeAll() -> [AnyLiveObserver] {
    log.append(ShortList(), rowCount: 0, isUnknown: true, isExternal: true)
    metrics.externalCommitCount += 1
    var woken: [AnyLiveObserver] = []
    for query in queries.values {
      query.note(.any)
      wake(query, .externalCommit, &woken)
    }
    return woken
  }

  /// - Parameter own: The query whose fetch has made the commit: it is not woken.
  private mutating func wake(
    _ query: LiveQuery, _ reasons: LiveQueryMachine.FetchReasons, _ woken: inout [AnyLiveObserver],
    by own: LiveQueryKey? = nil
  ) {
    if query.lastWake == log.last { return }
    query.lastWake = log.last
    if let own, query.key == own {
      ownCommit?.isOfQuery = true
      return
    }
    if query.wokenAt == nil { query.wokenAt = core?.clock.now() }
    metrics.wakeCount += 1
    requestFetch(query, reasons)
    for observer in query.observers where observer.events.databaseDidChange != nil { woken.append(observer) }
  }

  /// Schedules fetches of the queries that a commit may have changed.
  ///
  /// - Returns: The observers that want to be notified of it.
  mutating func wake(_ changes: CommittedChanges) -> [AnyLiveObserver] {
    let isUnknown = changes.isUnknown(forSubscription: subscription)
    if log.hasRunningFetches {
      log.append(
        changes.kept().tables, rowCount: changes.log.records.count, isUnknown: isUnknown,
        needsVersion: changes.needsVersion)
    } else {
      log.skip()
    }
    metrics.commitCount += 1
    let own = ownCommit == nil ? nil : noteOwnCommit()
    var woken: [AnyLiveObserver] = []
    if isUnknown {
      for query in queries.values {
        // The statements may read other columns now: a table was dropped, and created again.
        query.forgetReadSet()
        query.note(.any)
        wake(query, .change, &woken, by: own)
      }
    } else {
      for table in changes.tables {
        index.match(table) { query in
          // Several rows of a commit may affect it.
          if query.lastWake != log.last { query.note(table) }
          wake(query, .change, &woken, by: own)
        }
      }
      if changes.needsVersion < publishedNeedsVersion {
        for query in queries.values where query.needsVersion > changes.needsVersion {
          query.note(.any)
          wake(query, .change, &woken, by: own)
        }
      }
    }
    return woken
  }
}
