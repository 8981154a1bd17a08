/// When the live queries of a database use more threads, and how long they wait for each other.
///
/// See `Documentation/Decisions/CommitsAvoidWakingThreads.md`.
struct LivePolicy: Sendable {
  /// The number of processors. The committing thread needs one of them.
  var processorCount = SystemThread.processorCount

  /// How much of the machine external commits may use.
  var externalCommitLimit = Configuration.ExternalCommitLimit()

  /// How long one connection fetches before another one is requested, if a processor is available: a multiple of
  /// the duration of the request. If it is shorter, writers wait for threads that find nothing to do.
  var helpDelay = Duration.microseconds(250)

  /// The same if no other processor is available, for slow queries; and the time after which a watchdog checks whether
  /// queries wait. If it is shorter, fetching connections that wait for a processor look slow, and hinder each other.
  var slowFetchDelay = Duration.milliseconds(5)

  /// How long a query waits for another query of its batch before it leaves the batch. A query that never ends delays
  /// no other query. If it is shorter, slow queries are fetched from different snapshots without need.
  var batchDelayMax = Duration.milliseconds(100)

  /// How long a batch looks for a snapshot whose commits have all been reported. After this time, a quick series of
  /// commits has ended, or a committing thread without a processor has continued; if not, fetching everything does not
  /// take much longer for most queries.
  var snapshotSearchTimeout = Duration.milliseconds(1)

  /// How long fetches may run without an event before another connection is requested for a batch of its own.
  ///
  /// Such batches follow commits, and the writer needs a processor, too: one processor stays available unless a query
  /// is slow.
  func responseTimeout(readerCount: Int) -> Duration {
    readerCount < max(1, processorCount - 1) ? helpDelay : slowFetchDelay
  }

  /// The maximum number of connections in a batch that takes long: one per processor, so that commits can run between
  /// the fetches. On one processor there may be two: if a query waits, the other ones proceed.
  var helpedReaderCountMax: Int { max(2, processorCount) }
}
