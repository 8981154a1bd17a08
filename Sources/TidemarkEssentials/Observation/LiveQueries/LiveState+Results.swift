extension LiveState {
  /// Handles the result of a fetch.
  ///
  /// - Returns: The observers to pass it to, and the reads if they have changed.
  mutating func recordResult(
    _ item: FetchBatch.Item, _ outcome: LiveFetch.Outcome, _ batch: FetchBatch
  ) -> (receivers: [AnyLiveObserver], newRegion: DatabaseRegion?) {
    let query = item.query
    guard queries[query.key] === query else { return ([], nil) }
    query.retrying = nil
    var newRegion: DatabaseRegion?
    // The index contains the previous region, and commits meanwhile were compared with that.
    if let region = outcome.region {
      if track(region, query) { newRegion = region }
      // The index contains the new region only from now on.
      let reasons = reasons(region, of: query, since: outcome.ownCommit?.fetchStart ?? batch.fetchStart)
      if let reasons {
        query.note(.any)
        requestFetch(query, reasons)
      }
      // A schema change may have changed the region of the same reads.
      query.note(reasons == nil ? outcome.readSet : nil, schemaVersion: outcome.schemaVersion)
    }
    let concernsAll = concernsAll(item, outcome)
    let receivers = query.observers.filter { observer in
      observer.arrival < batch.number && (concernsAll || observer.isNew)
    }
    // The observers may have received different values before.
    let isOfAll = concernsAll || query.lastDigest == outcome.digest || receivers.count == query.observers.count
    query.lastDigest = isOfAll ? outcome.digest : nil
    for observer in receivers { observer.isNew = false }
    metrics.fetchCount += 1
    metrics.sharedFetchCount += max(0, receivers.count - 1)
    return (receivers, newRegion)
  }

  /// Whether the result is for all observers, and not only for those that have not received a value yet.
  private mutating func concernsAll(_ item: FetchBatch.Item, _ outcome: LiveFetch.Outcome) -> Bool {
    if item.pendingReasons.contains(.change) || outcome.ownCommit?.isOfQuery == true { return true }
    if let digest = outcome.digest, let last = item.query.lastDigest {
      // A fetch for a new observer may also contain an external commit that has not been detected yet.
      if digest != last { return true }
      if item.pendingReasons.contains(.externalCommit) { metrics.unchangedFetchCount += 1 }
      return false
    }
    return item.pendingReasons.contains(.externalCommit)
  }

  /// Handles the failure of a fetch.
  ///
  /// - Returns: The observers that end because of it.
  mutating func recordResult(_ item: FetchBatch.Item, _ error: any Error) -> (failed: [AnyLiveObserver], work: LiveWork)
  {
    let query = item.query
    guard queries[query.key] === query else { return ([], nextWork()) }
    metrics.failureCount += 1
    let isPassing = (error as? DatabaseError)?.isTransient == true
    let failed = query.observers.filter { !isPassing || $0.retry == nil }
    for observer in failed { _ = query.remove(observer) }
    guard let retry = query.observers.lazy.compactMap(\.retry).first else {
      forget(query)
      return (failed, nextWork())
    }
    query.note(item.snapshotChanges.rows)
    query.machine.pause(unserved: item.pendingReasons)
    let retrying = query.retrying ?? LiveQuery.Retrying()
    query.retrying = retrying
    retrying.failureCount += 1
    var work = nextWork()
    work.core = core
    work.pause = (retry.pause(beforeAttempt: retrying.failureCount - 1), query)
    return (failed, work)
  }

  /// Handles a query that its batch could not fetch, for reasons that do not concern the query.
  mutating func requeue(_ item: FetchBatch.Item) {
    item.query.wokenAt = [item.query.wokenAt, item.wokenAt].compactMap { $0 }.min()
    item.query.note(item.snapshotChanges.rows)
    requestFetch(item.query, item.pendingReasons)
    finish(item.query)
  }

  /// Reports that all observers have received the result.
  mutating func finish(_ query: LiveQuery) {
    query.cancellation = nil
    if query.machine.end(), queries[query.key] === query { fetchQueues.append(query) }
  }

  // MARK: Metrics

  mutating func measure(_ times: LiveEngine.FetchTimes) {
    metrics.fetchTimes.add(times.fetched - times.fetchStart)
    if let wokenAt = times.wokenAt { metrics.deliveryTimes.add(times.delivered - wokenAt) }
    metrics.falseWakeCount += times.falseWakeCount
  }

  var currentMetrics: ObservationMetrics {
    var metrics = metrics
    metrics.queryCount = queries.count
    metrics.observationCount = queries.values.reduce(0) { $0 + $1.observers.count }
    metrics.waitingQueryCount = fetchQueues.reading.count + fetchQueues.writing.count
    return metrics
  }
}
