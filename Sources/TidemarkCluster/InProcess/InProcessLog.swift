/// A log in the memory of the process, which several nodes of the process share.
///
/// It is meant for tests of programs that use a ``ClusterDatabase``, and of other users of a ``ReplicatedLog``. Each
/// node uses a client of its own:
///
/// ```swift
/// let log = InProcessLog(seed: 7)
/// let berlin = try await ClusterDatabase.open(berlinPath, log: log.client(), ClusterConfiguration(node: "berlin"))
/// let paris = try await ClusterDatabase.open(
///   parisPath, log: log.client(faults: .all(0.1), seed: 1), ClusterConfiguration(node: "paris"))
/// ```
///
/// A seed determines the faults of the requests of a client. If one task makes all requests, the seeds determine all
/// results. Nodes have several tasks, so with nodes, the order of requests differs from run to run.
///
/// The log is lost with the process.
public actor InProcessLog {
  /// The limits of the log.
  public nonisolated let limits: LogLimits

  nonisolated let clock: LogClock
  private var contents = LogContents()
  private var random: LogRandom
  private var lateAppends: [LogEntry] = []
  private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
  private var waiterCount = 0

  /// How often the log was restarted.
  private(set) var restartCount = 0

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - limits: The limits of the log.
  ///   - seed: Determines when late appends are executed.
  ///   - clock: The clock for deadlines and delays.
  public init(
    limits: LogLimits = LogLimits(payloadBytes: 512 << 10), seed: UInt64 = 0, clock: LogClock = .system
  ) {
    self.limits = limits
    self.clock = clock
    random = LogRandom(seed: seed)
  }

  /// Returns a new client of the log.
  ///
  /// ```swift
  /// let log = InProcessLog()
  /// let reliable = log.client()
  /// let unreliable = log.client(faults: .all(0.1), seed: 1)
  /// ```
  ///
  /// - Parameters:
  ///   - faults: The faults of its connection.
  ///   - seed: Determines which requests have which faults.
  /// - Returns: A client for one node.
  public nonisolated func client(faults: InProcessLogFaults = InProcessLogFaults(), seed: UInt64 = 0) -> Client {
    Client(log: self, faults: faults, seed: seed)
  }

  /// Restarts the log: the results of all requests in flight are lost, and appends are ``AppendResult/unknown``. The
  /// entries are not lost.
  ///
  /// ```swift
  /// let log = InProcessLog()
  /// let berlin = try await ClusterDatabase.open(berlinPath, log: log.client(), ClusterConfiguration(node: "berlin"))
  /// async let position = berlin.catchUp()
  /// await log.restart()
  /// // The node repeats its request.
  /// print(try await position)
  /// ```
  public func restart() {
    restartCount += 1
    wakeAll()
  }

  /// Executes the appends that were late, in the order in which they were made. They have no result.
  public func executeLateAppends() {
    let late = lateAppends
    lateAppends = []
    // An error or a refusal has no receiver.
    for entry in late { _ = try? contents.append(entry) }
    wakeAll()
  }

  // MARK: - Requests of clients

  func postpone(_ entry: LogEntry) { lateAppends.append(entry) }

  func append(_ entry: LogEntry) throws(LogError) -> AppendResult {
    requestArrived()
    let result = try contents.append(entry)
    wakeAll()
    return result
  }

  func last() -> LogPosition {
    requestArrived()
    return contents.last
  }

  func entry(at number: UInt64, missing missedEntries: UInt64) throws(LogError) -> LogEntry? {
    requestArrived()
    let entry = try contents.entry(at: number)
    let (seen, isBefore) = contents.last.number.subtractingReportingOverflow(missedEntries)
    return isBefore || number > seen ? nil : entry
  }

  func discard(through position: LogPosition) throws(LogError) {
    requestArrived()
    try contents.discard(through: position)
  }

  /// Waits until there are entries after a position, and returns them.
  func entries(after position: LogPosition) async throws -> [LogEntry] {
    while true {
      try Task.checkCancellation()
      let entries = try contents.entries(after: position)
      if !entries.isEmpty { return entries }
      await wait()
    }
  }

  /// Late appends arrive before some later request.
  private func requestArrived() {
    if !lateAppends.isEmpty, random.happens(0.5) { executeLateAppends() }
  }

  // MARK: - Waiting

  /// Waits until the contents may have changed, or the task is cancelled.
  private func wait() async {
    waiterCount += 1
    let waiter = waiterCount
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Later cancellations are handled by the task below, which runs after this closure.
        if Task.isCancelled { continuation.resume() } else { waiters[waiter] = continuation }
      }
    } onCancel: {
      Task { await self.wake(waiter) }
    }
  }

  private func wake(_ waiter: Int) { waiters.removeValue(forKey: waiter)?.resume() }

  private func wakeAll() {
    let woken = waiters.values
    waiters = [:]
    for waiter in woken { waiter.resume() }
  }
}
