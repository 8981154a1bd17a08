// Processing the outcomes of fetches.

extension LiveEngine {
  /// The times of the phases of a fetch.
  struct FetchTimes {
    var wokenAt: Duration?
    var fetchStart: Duration
    var fetched = Duration.zero
    var delivered = Duration.zero
    var falseWakeCount = 0
  }

  /// Ends a fetch: delivers its value to the observers, and makes the query idle or fetches it again.
  func complete(
    _ item: FetchBatch.Item, _ result: Result<LiveFetch.Outcome, any Error>, _ batch: FetchBatch,
    _ times: FetchTimes? = nil
  ) {
    switch result {
    case .success(let outcome):
      let (receivers, newRegion, _) = state.withLock { state in
        let retrying = item.query.retrying
        let (receivers, newRegion) = state.recordResult(item, outcome, batch)
        return (receivers, newRegion, retrying)
      }
      var falseWakeCount = 0
      for observer in receivers {
        if let newRegion { observer.events.willTrackRegion?(newRegion) }
        if !outcome.handOver(observer) { falseWakeCount += 1 }
      }
      let delivered = batch.core.clock.now()
      perform(
        state.withLock { state in
          if var times {
            times.delivered = delivered
            times.falseWakeCount = falseWakeCount
            state.measure(times)
          }
          state.finish(item.query)
          return state.nextWork()
        })
    case .failure(let error):
      let (failed, work, _) = state.withLock { state in
        let (failed, work) = state.recordResult(item, error)
        return (failed, work, state.leaveIfUnused())
      }
      for observer in failed { observer.fail(error) }
      perform(work)
    }
  }

  // MARK: - Metrics

  /// Returns the metrics of the live queries of a database.
  static func metrics(of core: _DatabaseCore) -> ObservationMetrics {
    var metrics = ObservationMetrics()
    if core.writer != nil { metrics = engine(of: core).state.withLock { $0.currentMetrics } }
    (metrics.busyReaderCount, metrics.waitingReadCount) = core.load
    return metrics
  }
}
