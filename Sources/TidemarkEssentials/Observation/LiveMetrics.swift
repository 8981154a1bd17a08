/// What the live queries of a database have done, and what they are doing.
///
/// ```swift
/// let metrics = dbPool.liveMetrics
/// print("\(metrics.observationCount) observations, \(metrics.fetchCount) fetches")
/// print("99 % of values came within", metrics.deliveryTimes.quantile(0.99))
/// ```
public struct LiveMetrics: Sendable {
  /// How many observations run.
  public var observationCount = 0

  /// How many different queries they observe.
  public var queryCount = 0

  /// How many queries wait for a fetch.
  public var waitingQueryCount = 0

  /// How many commits were told since there are observations.
  public var commitCount = 0

  /// How many times it was noticed that others have committed, since there are observations.
  public var othersCommitCount = 0

  /// How many fetches, after commits of others, have found what was known.
  public var unchangedFetchCount = 0

  /// How many times a commit has woken a query.
  public var wakeCount = 0

  /// How many wakes of queries that look for duplicates have brought no other value than there was.
  public var falseWakeCount = 0

  /// How many times a query was fetched.
  public var fetchCount = 0

  /// How many values were handed to observations that had not to be fetched, since another one had fetched the same.
  public var sharedFetchCount = 0

  /// How many fetches have failed.
  public var failureCount = 0

  /// How long fetches took.
  public var fetchTimes = TimeHistogram()

  /// How long it took from a commit until the value was handed to the observation.
  public var deliveryTimes = TimeHistogram()

  /// How many connections read now, for whatever purpose, and how many accesses wait for one.
  public var busyReaderCount = 0

  /// How many accesses wait for a connection that reads.
  public var waitingReadCount = 0
}

/// How long things took: how many took up to each power of two of a microsecond.
public struct TimeHistogram: Sendable {
  private var counts: [Int] = []

  /// How many were measured.
  public private(set) var count = 0

  /// How long all of them took together.
  public private(set) var total = Duration.zero

  /// Nothing was measured yet.
  public init() {}

  /// A time that this part of all does not exceed: `0.5` for the median. At most twice what it was.
  public func quantile(_ part: Double) -> Duration {
    precondition((0...1).contains(part), "A part of all is between 0 and 1")
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
  /// What the live queries of the database have done, and what they are doing.
  public var liveMetrics: LiveMetrics { LiveEngine.metrics(of: _ground) }
}
