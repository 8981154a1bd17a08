// The ends of fetches.

extension LiveState {
  /// A fetch of a batch has succeeded.
  ///
  /// - Parameter writeCount: The number of commits now.
  /// - Returns: The observers that receive the result, and the region if they want to be notified of it.
  mutating func fetchSucceeded(
    _ item: FetchBatch.Item, _ result: LiveFetch.Facts, _ batch: FetchBatch.Facts, writeCount: UInt64?
  ) -> (receivers: [LiveObserverID], newRegion: DatabaseRegion?) {
    let query = item.query
    guard queries.contains(query) else { return ([], nil) }
    queries[query].failureCount = 0
    var newRegion: DatabaseRegion?
    // The index contains the previous region, and commits meanwhile were compared with that.
    if let region = result.region {
      if track(region, query) { newRegion = region }
      // The index contains the new region only from now on.
      let start = result.ownCommit?.fetchStart ?? batch.fetchStart
      // A schema change may have changed the region of the same reads.
      queries[query].note(result.readSet, schemaVersion: result.schemaVersion)
      if let reasons = reasons(region, of: query, since: start, writeCount: writeCount) { outdated(query, reasons) }
      confirm(query, region, start)
    }
    let concernsAll = concernsAll(item, result)
    let receivers = queries[query].takeReceivers { $0.arrival < batch.number && (concernsAll || $0.isNew) }
    // The observers may have received different values before.
    let isOfAll =
      concernsAll || queries[query].lastDigest == result.digest || receivers.count == queries[query].observers.count
    queries[query].lastDigest = isOfAll ? result.digest : nil
    metrics.fetchCount += 1
    metrics.sharedFetchCount += max(0, receivers.count - 1)
    return (receivers, newRegion)
  }

  /// Whether the result is for all observers, and not only for those that have not received a value yet.
  private mutating func concernsAll(_ item: FetchBatch.Item, _ result: LiveFetch.Facts) -> Bool {
    if item.pendingReasons.contains(.change) || result.ownCommit?.isOfQuery == true { return true }
    if let digest = result.digest, let last = queries[item.query].lastDigest {
      // A fetch for a new observer may also contain an external commit that has not been detected yet.
      if digest != last { return true }
      if item.pendingReasons.contains(.externalCommit) { metrics.unchangedFetchCount += 1 }
      return false
    }
    return item.pendingReasons.contains(.externalCommit)
  }

  /// All observers have received the result of a fetch.
  mutating func deliveryEnded(_ query: LiveQueryID, _ times: FetchTimes?, at now: Duration) {
    if let times {
      metrics.fetchTimes.add(times.fetched - times.fetchStart)
      if let delivered = times.delivered, let wokenAt = times.wokenAt { metrics.deliveryTimes.add(delivered - wokenAt) }
      metrics.falseWakeCount += times.falseWakeCount
    }
    endFetch(query)
    requestReaders(at: now)
  }

  mutating func endFetch(_ query: LiveQueryID) {
    guard queries.contains(query) else { return }
    requestFetchIfOutdated(query)
    queueAfterFetch(query)
  }

  /// A fetch of a batch has failed. The observers that end because of it are removed.
  ///
  /// - Parameter isTransient: Whether the fetch may succeed later.
  mutating func fetchFailed(_ item: FetchBatch.Item, isTransient: Bool, at now: Duration) {
    defer {
      requestReaders(at: now)
      endWatchIfUnused()
    }
    let query = item.query
    guard queries.contains(query) else { return }
    metrics.failureCount += 1
    for observer in queries[query].observers.map(\.id) where !isTransient || retryPolicies[observer] == nil {
      remove(observer)
    }
    guard let retry = queries[query].observers.first.flatMap({ retryPolicies[$0.id] }) else { return remove(query) }
    queries[query].note(item.snapshotChanges.rows)
    queries[query].machine.pause(unserved: item.pendingReasons)
    work.pause = (retry.pause(beforeAttempt: queries[query].failureCount), query)
    queries[query].failureCount += 1
  }

  /// The pause after a failure has ended.
  mutating func pauseEnded(_ query: LiveQueryID, at now: Duration) {
    if queries.contains(query), queries[query].machine.resume() { enqueue(query) }
    requestReaders(at: now)
  }

  /// Whether a query waits for another attempt after a failure.
  func isPausing(_ query: LiveQueryID) -> Bool { queries.contains(query) && queries[query].machine.isPausing }

  // MARK: Metrics

  /// The times of the phases of a fetch.
  struct FetchTimes: Sendable {
    var wokenAt: Duration?
    var fetchStart: Duration
    var fetched = Duration.zero

    /// Nil if no observer has received the result.
    var delivered: Duration?
    var falseWakeCount = 0
  }

  var currentMetrics: ObservationMetrics {
    var metrics = metrics
    metrics.queryCount = queries.count
    metrics.observationCount = queries.ids.reduce(0) { $0 + queries[$1].observers.count }
    metrics.waitingQueryCount = readers.reading.count + readers.writing.count
    return metrics
  }
}
