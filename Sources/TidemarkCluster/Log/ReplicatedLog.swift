/// A totally ordered, durable log that several nodes share.
///
/// Each entry names its predecessor: its number, and its digest. So the log is a chain, and a node that knows one
/// position knows which history it belongs to. All methods may be called from any task, at the same time.
///
/// **What an implementation guarantees**
///
/// - *L1.* The log contains at most one entry of each number. Numbers begin at 1 and have no gaps.
/// - *L2.* Entry *n* + 1 is stored only if its predecessor is the last entry, number and digest included.
/// - *L3.* An acknowledged entry is durable: it stays in the log until it is discarded.
/// - *L4.* The same entry is stored at most once, however often it is appended.
///
/// **What it does not guarantee.** A read may return an old state. If ``entry(at:)`` returns nil, or a stream has not
/// delivered an entry, the entry may be in the log nevertheless, or appear later. Only ``append(_:until:)`` and
/// ``barrier(until:)`` are linearizable.
public protocol ReplicatedLog: Sendable {
  /// The limits of the log.
  var limits: LogLimits { get }

  /// Appends an entry, on condition that its predecessor is the last entry of the log (compare-and-set).
  ///
  /// The operation is idempotent. If the entry is in the log already, the result is
  /// ``AppendResult/appended(_:)``. After ``AppendResult/unknown``, append *the same* entry again: the result
  /// decides what has become of it. An entry in doubt is never replaced by another one with the same predecessor,
  /// unless the result of that one is decided.
  ///
  /// If the task is cancelled or the deadline passes while a request is in flight, the result is
  /// ``AppendResult/unknown``.
  ///
  /// - Parameters:
  ///   - entry: An entry whose identity is new, or an entry that has been appended before.
  ///   - deadline: When the method returns at the latest.
  /// - Throws: ``LogError``, or `CancellationError`. After any error, this call has stored nothing and will store
  ///   nothing; of earlier calls with the same entry, an error decides nothing, with the exception of
  ///   ``LogError/historyDiverged(expected:found:)``.
  func append(_ entry: LogEntry, until deadline: ContinuousClock.Instant) async throws -> AppendResult

  /// Returns the entries after a position, in order and without gaps, and then each new one.
  ///
  /// The stream does not end by itself. It finishes if the task that iterates it is cancelled. It continues after a
  /// lost connection. To resume, begin a new stream after the position of the last received entry. A stream is iterated
  /// by one task.
  ///
  /// It throws ``LogError/behindLog(discardedThrough:)`` if entries after the position were discarded, and
  /// ``LogError/historyDiverged(expected:found:)`` if the log does not contain the position.
  func entries(after position: LogPosition) -> AsyncThrowingStream<LogEntry, any Error>

  /// Returns the entry with a number.
  ///
  /// - Returns: The entry; nil if this read has not found it, which does not prove that the log has no such entry.
  /// - Throws: ``LogError/behindLog(discardedThrough:)`` if the entry was discarded, and other errors.
  func entry(at number: UInt64) async throws -> LogEntry?

  /// Returns the position of the last entry, linearizably.
  ///
  /// The position was the last one at a moment between the call and the return. So each entry that was acknowledged
  /// before the call is at this position, or before it.
  ///
  /// - Throws: ``LogError/unavailable(_:)`` if the deadline passes first, and other errors.
  func barrier(until deadline: ContinuousClock.Instant) async throws -> LogPosition

  /// Removes the entries up to a position, that one included.
  ///
  /// The last position of the log is not changed by this, even if all entries are removed. Entries that were removed
  /// before are ignored.
  ///
  /// - Throws: ``LogError/historyDiverged(expected:found:)`` if the log does not contain the position. After another
  ///   error, the entries may have been removed or not.
  func discard(through position: LogPosition, until deadline: ContinuousClock.Instant) async throws
}

/// The result of appending an entry to a log.
public enum AppendResult: Hashable, Sendable {
  /// The log contains the entry, at this position.
  case appended(LogPosition)

  /// The log contains another entry with the same number and the same predecessor. The refused entry is not in the log,
  /// and never will be.
  case refused(winner: LogEntry)

  /// The entry is in the log, or will appear in it later, or never. To decide this, append it again.
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
