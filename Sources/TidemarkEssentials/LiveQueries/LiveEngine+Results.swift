// Processing the outcomes of fetches.

extension LiveEngine {
  /// Ends a fetch: delivers its value to the observers, and makes the query idle or fetches it again.
  func complete(
    _ item: FetchBatch.Item, _ result: Result<LiveFetch.Outcome, any Error>, _ batch: Batch,
    _ times: LiveState.FetchTimes? = nil
  ) {
    switch result {
    case .success(let outcome):
      let fetched = times?.fetched ?? clock.now()
      let (receivers, newRegion) = report { guarded -> ([any LiveObserver], DatabaseRegion?) in
        guarded.objects.endFetch(of: item.query)
        let (receivers, newRegion) = guarded.state.fetchSucceeded(
          item, outcome.facts, batch.facts, writeCount: guarded.objects.writeCount)
        if receivers.isEmpty { guarded.state.deliveryEnded(item.query, times, at: fetched) }
        return (guarded.objects.observers(receivers), newRegion)
      }.result
      if receivers.isEmpty { return }
      var times = times
      for observer in receivers {
        if let newRegion { observer.events.willTrackRegion?(newRegion) }
        if !observer.receive(outcome.value) { times?.falseWakeCount += 1 }
      }
      let now = clock.now()
      times?.delivered = now
      report { [times] in $0.state.deliveryEnded(item.query, times, at: now) }
    case .failure(let error):
      let isTransient = (error as? DatabaseError)?.isTransient == true
      let now = clock.now()
      let failed = report { guarded in
        guarded.objects.endFetch(of: item.query)
        guarded.state.fetchFailed(item, isTransient: isTransient, at: now)
      }.removed
      for observer in failed { observer.fail(error) }
    }
  }

  /// Runs a write transaction that fetches.
  ///
  /// - Parameter write: Runs the transaction, and calls its argument before the commit.
  func writing(
    _ key: LiveQueryKey, _ write: (_ willCommit: () -> Void) throws -> LiveFetch.Outcome?
  ) rethrows -> LiveFetch.Outcome? {
    // Calls are nested if a transaction observer starts an observation.
    let outer = guarded.withLock { guarded in
      defer { guarded.state.ownCommit = nil }
      return guarded.state.ownCommit
    }
    defer { guarded.withLock { $0.state.ownCommit = outer } }
    var outcome = try write {
      guarded.withLock { $0.state.willCommitOwn(key, writeCount: $0.objects.writeCount) }
    }
    outcome?.facts.ownCommit = guarded.withLock { $0.state.ownCommit }
    return outcome
  }

  // MARK: - Metrics

  /// Returns the metrics of the live queries of a database.
  static func metrics(of core: _DatabaseCore) -> ObservationMetrics {
    var metrics = ObservationMetrics()
    if core.writer != nil { metrics = engine(of: core).guarded.withLock { $0.state.currentMetrics } }
    (metrics.busyReaderCount, metrics.waitingReadCount) = core.load
    return metrics
  }
}
