/// A totally ordered, durable log that several nodes share.
///
/// Each entry names its predecessor: its number, and its digest. So the log is a chain, and a node that knows one
/// position knows which history it belongs to. All methods may be called from any task, at the same time. A value is a
/// client of the log: each node has one of its own.
///
/// Programs pass a log to ``ClusterDatabase/open(_:log:_:)``, and need not call its methods:
///
/// ```swift
/// let log = EtcdLog(EtcdConfiguration(endpoints: endpoints))
/// ```
///
/// **Guarantees of each implementation**
///
/// - *L1.* The log contains at most one entry of each number. Numbers begin at 1 and have no gaps.
/// - *L2.* Entry *n* + 1 is stored only if its predecessor is the last entry, number and digest included.
/// - *L3.* An acknowledged entry is durable: it stays in the log until it is discarded.
/// - *L4.* The same entry is stored at most once, however often it is appended.
///
/// **No guarantee** is that a read returns the newest state. If ``entry(at:)`` returns nil, or a stream has not
/// delivered an entry, the entry may be in the log nevertheless, or appear later. Only ``append(_:until:)`` and
/// ``barrier(until:)`` are linearizable.
///
/// **A driver** for another server needs one linearizable compare-and-set of the last position. It
///
/// - executes "store the entry if its predecessor is the last position" in one step of the server, not as a read and a
///   write;
/// - acknowledges an entry after it is on the disks of a majority of the servers;
/// - returns from each method at the deadline, and soon after its task is cancelled. It repeats requests until then,
///   and throws ``LogError/unavailable(_:)`` if no request was executed;
/// - reports each append that may have been executed as ``AppendResult/unknown``, never as an error;
/// - throws ``LogError/rejected(_:)`` only for a reason that does not pass by itself, and
///   ``LogError/historyDiverged(expected:found:)`` or ``LogError/corrupted(_:)`` only with proof: these stop the nodes;
/// - stores ``LogEntry/encoded``, and decodes it again: this checks the digest.
///
/// `Documentation/ReplicatedLog.md` has a table of the results for each failure. ``InProcessLog`` makes faults for
/// tests.
public protocol ReplicatedLog: Sendable {
  /// The limits of the log. Nodes divide transactions that are larger.
  var limits: LogLimits { get }

  /// Appends an entry, on condition that its predecessor is the last entry of the log (compare-and-set).
  ///
  /// The operation is idempotent. If the entry is in the log already, the result is
  /// ``AppendResult/appended(_:)``. After ``AppendResult/unknown``, append *the same* entry again: the result
  /// decides its outcome. Do not append another entry with the same predecessor before.
  ///
  /// ```swift
  /// func append(_ payload: [UInt8], to log: any ReplicatedLog, after start: LogPosition) async throws -> LogPosition {
  ///   var entry = LogEntry(after: start, payload: payload)
  ///   while true {
  ///     switch try await log.append(entry, until: .now + .seconds(2)) {
  ///     case .appended(let position): return position
  ///     case .refused(let winner):
  ///       // Another client was first. A new entry, with a new identity, follows its entry.
  ///       entry = LogEntry(after: winner.position, payload: payload)
  ///     case .unknown:
  ///       // The same entry again.
  ///       try await Task.sleep(for: .milliseconds(100))
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// If the task is cancelled or the deadline passes while a request is in flight, the result is
  /// ``AppendResult/unknown``.
  ///
  /// - Parameters:
  ///   - entry: An entry whose identity is new, or an entry that has been appended before.
  ///   - deadline: When the method returns at the latest.
  /// - Returns: Whether the entry is in the log.
  /// - Throws: ``LogError``, or `CancellationError`. After any error, this call has stored nothing and will store
  ///   nothing; of earlier calls with the same entry, an error decides nothing, with the exception of
  ///   ``LogError/historyDiverged(expected:found:)``. An entry whose number was discarded throws
  ///   ``LogError/behindLog(discardedThrough:)``.
  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult

  /// Returns the entries after a position, in order and without gaps, and then each new one.
  ///
  /// ```swift
  /// var position = LogPosition.start
  /// for try await entry in log.entries(after: position) {
  ///   print("\(entry.number): \(entry.payload.count) bytes")
  ///   position = entry.position
  /// }
  /// ```
  ///
  /// The stream does not end by itself. It finishes, without an error, if the task that iterates it is cancelled. It
  /// continues after a lost connection, and waits while the log is unavailable. To resume, begin a new stream after the
  /// position of the last received entry. A stream is iterated by one task.
  ///
  /// It throws ``LogError/behindLog(discardedThrough:)`` if entries after the position were discarded,
  /// ``LogError/historyDiverged(expected:found:)`` if the log does not contain the position,
  /// ``LogError/corrupted(_:)``, and ``LogError/rejected(_:)``. It ends with the error.
  ///
  /// - Parameter position: The position of an entry, or ``LogPosition/start`` for all entries.
  /// - Returns: The stream.
  func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error>

  /// Returns the entry with a number.
  ///
  /// It has no parameter for a deadline: each implementation has a setting for it.
  ///
  /// - Parameter number: The number of an entry; the first one is 1.
  /// - Returns: The entry; nil if this read has not found it, which does not prove that the log has no such entry.
  /// - Throws: ``LogError/behindLog(discardedThrough:)`` if the entry was discarded, another ``LogError``, or
  ///   `CancellationError`.
  func entry(at number: UInt64) async throws -> LogEntry?

  /// Returns the position of the last entry, linearizably.
  ///
  /// The position was the last one at a moment between the call and the return. So each entry that was acknowledged
  /// before the call is at this position, or before it.
  ///
  /// ```swift
  /// let last = try await log.barrier(until: .now + .seconds(2))
  /// print("The log has \(last.number) entries")
  /// ```
  ///
  /// - Parameter deadline: When the method returns at the latest.
  /// - Returns: The position; ``LogPosition/start`` if nothing was ever appended.
  /// - Throws: ``LogError/unavailable(_:)`` if the deadline passes first, another ``LogError``, or `CancellationError`.
  func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition

  /// Removes the entries up to a position, that one included.
  ///
  /// The last position of the log is not changed by this, even if all entries are removed. Entries that were removed
  /// before are ignored.
  ///
  /// ```swift
  /// // The snapshot contains these entries.
  /// if let snapshot = try await store.latest() { try await log.discard(through: snapshot, until: .now + .seconds(2)) }
  /// ```
  ///
  /// - Parameters:
  ///   - position: The position of the last entry to remove.
  ///   - deadline: When the method returns at the latest.
  /// - Throws: ``LogError/historyDiverged(expected:found:)`` if the log does not contain the position; another
  ///   ``LogError``; or `CancellationError`. After these, the entries may have been removed or not.
  func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws
}

/// The result of appending an entry to a log.
public enum AppendResult: Hashable, Sendable {
  /// The log contains the entry, at this position.
  case appended(LogPosition)

  /// The log contains another entry with the same number and the same predecessor. The refused entry is not in the log,
  /// and never will be.
  case refused(winner: LogEntry)

  /// The entry is in the log, or will appear in it later, or never. To decide this, append the same entry again.
  case unknown
}

/// The limits of a log.
public struct LogLimits: Hashable, Sendable {
  /// The largest number of bytes in the payload of an entry.
  public var payloadBytes: Int

  /// Creates limits.
  ///
  /// - Parameter payloadBytes: The largest number of bytes in the payload of an entry.
  public init(payloadBytes: Int) { self.payloadBytes = payloadBytes }

  /// Throws ``LogError/entryTooLarge(bytes:limit:)`` if the payload of an entry is too large.
  package func check(_ entry: LogEntry) throws(LogError) {
    if entry.payload.count > payloadBytes {
      throw .entryTooLarge(bytes: entry.payload.count, limit: payloadBytes)
    }
  }
}
