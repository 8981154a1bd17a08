import Tidemark

/// The measurements in the engine pane.
struct Figures: Equatable, Sendable {
  var observationCount = 0
  var queryCount = 0
  var commitCount = 0
  var wakeCount = 0
  var fetchCount = 0
  var sharedFetchCount = 0
  var failureCount = 0

  /// The times from a commit until the value was delivered, and until it was on the screen, in seconds.
  var toValue: Quantiles?
  var toScreen: Quantiles?

  /// The times for which writers waited for their commits, in seconds.
  var writes: Quantiles?

  var busyReaderCount = 0
  var readerCountMax = 0
  var waitingReadCount = 0

  /// The size of the write-ahead log in bytes; nil without a log.
  var logSize: Int?

  /// The state of the node, if the database belongs to one.
  var node: NodeState?

  /// The average number of queries that a commit invalidates.
  var wakesPerCommit: Double? { commitCount == 0 ? nil : Double(wakeCount) / Double(commitCount) }
}

/// The median and the 99th percentile.
struct Quantiles: Equatable, Sendable {
  var p50: Double
  var p99: Double

  init?(_ window: SampleWindow) {
    let quantiles = window.quantiles(0.5, 0.99)
    if quantiles.isEmpty { return nil }
    self.init(p50: quantiles[0], p99: quantiles[1])
  }

  init?(_ times: TimeHistogram) {
    if times.count == 0 { return nil }
    self.init(p50: times.quantile(0.5).inSeconds, p99: times.quantile(0.99).inSeconds)
  }

  init(p50: Double, p99: Double) {
    self.p50 = p50
    self.p99 = p99
  }
}

extension Figures {
  /// The observation metrics of the database.
  init(_ reader: some DatabaseReader) {
    let metrics = reader.observationMetrics
    observationCount = metrics.observationCount
    queryCount = metrics.queryCount
    commitCount = metrics.commitCount
    wakeCount = metrics.wakeCount
    fetchCount = metrics.fetchCount
    sharedFetchCount = metrics.sharedFetchCount
    failureCount = metrics.failureCount
    toValue = Quantiles(metrics.deliveryTimes)
    busyReaderCount = metrics.busyReaderCount
    readerCountMax = reader.configuration.maximumReaderCount
    waitingReadCount = metrics.waitingReadCount
    logSize = fileSize(reader.path + "-wal")
  }
}
