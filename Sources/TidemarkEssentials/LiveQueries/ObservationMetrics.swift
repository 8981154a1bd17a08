/// Counters and times of the observations of a database.
///
/// ```swift
/// let metrics = dbPool.observationMetrics
/// print("\(metrics.observationCount) observations, \(metrics.fetchCount) fetches")
/// print("99 % of values came within", metrics.deliveryTimes.quantile(0.99))
/// ```
public struct ObservationMetrics: Sendable {
  /// The number of active observations.
  public var observationCount = 0

  /// The number of different queries that they observe.
  public var queryCount = 0

  /// The number of queries that wait for a fetch.
  public var waitingQueryCount = 0

  /// The number of commits since the first observation.
  public var commitCount = 0

  /// The number of times that external commits were detected, since the first observation.
  public var externalCommitCount = 0

  /// The number of fetches after external commits with an unchanged result.
  public var unchangedFetchCount = 0

  /// The number of times that a commit has caused a fetch of a query.
  public var wakeCount = 0

  /// The number of these fetches without a new value, for observations that remove duplicates.
  public var falseWakeCount = 0

  /// The number of fetches.
  public var fetchCount = 0

  /// The number of values that were delivered without a fetch, because another observation had fetched the same.
  public var sharedFetchCount = 0

  /// The number of failed fetches.
  public var failureCount = 0

  /// The durations of fetches.
  public var fetchTimes = TimeHistogram()

  /// The times from a commit to the delivery of the value.
  public var deliveryTimes = TimeHistogram()

  /// The number of reader connections in use, for any purpose.
  public var busyReaderCount = 0

  /// The number of accesses that wait for a reader connection.
  public var waitingReadCount = 0
}

/// A histogram of durations, with buckets that are powers of two of a microsecond.
public struct TimeHistogram: Sendable {
  private var counts: [Int] = []

  /// The number of durations.
  public private(set) var count = 0

  /// The sum of all durations.
  public private(set) var total = Duration.zero

  /// Creates an empty histogram.
  public init() {}

  /// An upper bound for the given quantile, such as `0.5` for the median. It is at most twice the exact value.
  public func quantile(_ part: Double) -> Duration {
    precondition((0...1).contains(part), "quantile must be in 0...1: \(part)")
    let rank = Int((Double(count) * part).rounded(.up))
    var seen = 0
    for (power, bucket) in counts.enumerated() {
      seen += bucket
      if seen >= rank, seen > 0 { return .microseconds(1 << power) }
    }
    return .zero
  }

  mutating func add(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let microseconds = UInt64(clamping: seconds) &* 1_000_000 &+ UInt64(clamping: attoseconds / 1_000_000_000_000)
    let power = microseconds == 0 ? 0 : UInt64.bitWidth - (microseconds - 1).leadingZeroBitCount
    if counts.count <= power { counts += Array(repeating: 0, count: power + 1 - counts.count) }
    counts[power] += 1
    count += 1
    total += duration
  }
}

extension DatabaseReader {
  /// Counters and times of the observations of the database.
  public var observationMetrics: ObservationMetrics { LiveEngine.metrics(of: _core) }
}
