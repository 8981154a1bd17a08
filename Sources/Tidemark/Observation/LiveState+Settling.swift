extension LiveState {
  /// A query was fetched.
  ///
  /// - returns: Whom to give the value to, and what is read now if that is not what was.
  mutating func settle(
    _ query: LiveQuery, _ wishes: LiveQueryMachine.Wish, _ outcome: LiveFetch.Outcome, _ round: Round
  ) -> (receivers: [AnyLiveObserver], newRegion: DatabaseRegion?) {
    guard queries[query.key] === query else { return ([], nil) }
    query.failureCount = 0
    var newRegion: DatabaseRegion?
    if let region = outcome.region {
      if track(region, query) { newRegion = region }
      // The index has known of this region only from now on.
      if isTouched(region, after: round.begun) { ask(query, .change) }
    }
    var receivers: [AnyLiveObserver] = []
    for observer in query.observers {
      if observer.arrival < round.number, wishes.contains(.change) || observer.isNew {
        observer.isNew = false
        receivers.append(observer)
      }
    }
    metrics.didFetch(for: receivers.count)
    return (receivers, newRegion)
  }

  /// A query could not be fetched.
  ///
  /// - returns: Those for whom that is the end.
  mutating func settle(
    _ query: LiveQuery, _ wishes: LiveQueryMachine.Wish, _ error: any Error
  ) -> (failed: [AnyLiveObserver], work: LiveWork) {
    guard queries[query.key] === query else { return ([], nextWork()) }
    metrics.failureCount += 1
    let isPassing = (error as? DatabaseError)?.isTransient == true
    let failed = query.observers.filter { !isPassing || $0.retry == nil }
    for observer in failed { _ = query.remove(observer) }
    guard let retry = query.observers.lazy.compactMap(\.retry).first else {
      forget(query)
      return (failed, nextWork())
    }
    query.machine.pause(unserved: wishes)
    query.failureCount += 1
    var work = nextWork()
    work.ground = ground
    work.pause = (retry.pause(beforeAttempt: query.failureCount - 1), query)
    return (failed, work)
  }

  /// The value was given to all it is for.
  mutating func rest(_ query: LiveQuery) {
    if query.machine.end(), queries[query.key] === query { lines.append(query) }
  }
}
