import Foundation

/// An entry of the log with its decoded payload.
struct ReceivedEntry: Sendable {
  var entry: LogEntry

  /// The payload, or the reason why it cannot be applied.
  var payload: Result<ClusterPayload, ClusterError>

  init(_ entry: LogEntry) {
    self.entry = entry
    payload = Result { () throws(ClusterError) in try ClusterPayload(decoding: entry.payload) }
  }

  /// Whether the entry refers to a snapshot with the contents of the database.
  var isSnapshot: Bool {
    if case .success(let payload) = payload, case .snapshot = payload.content { true } else { false }
  }
}

extension NodeMachine {
  /// What to do next.
  enum Step {
    /// Apply entries, in one transaction.
    case apply([ReceivedEntry])

    /// Begin a transaction, and execute the waiting writes in it.
    case execute

    /// Append an entry of the attempt.
    case append(LogEntry)

    /// Ask the log for its last position.
    case confirm

    /// Commit the transaction of the attempt.
    case commit

    /// Roll back the transaction of the attempt.
    case rollBack(Defeat)

    /// Install a snapshot that is at least as new as a position.
    case installSnapshot(LogPosition)

    /// Wait for an event, until a time.
    case wait(until: Instant?)

    /// End the thread.
    case stop
  }

  /// The received entries that are applied together: at most 100, and about 4 MB.
  var batch: [ReceivedEntry] {
    var byteCount = 0
    let fitting = inbox.prefix(100).prefix { received in
      defer { byteCount += received.entry.payload.count }
      return byteCount < 4 << 20
    }
    return Array(fitting)
  }

  /// Why an attempt is rolled back.
  enum Defeat: Hashable {
    /// Its entries are not in the log, and never will be: execute the writes again.
    case refused

    /// Nothing was appended, and nothing can be at the moment.
    case failed(String)

    /// Nothing was appended until the time of a caller was over.
    case expired(String)

    /// Its outcome is unknown.
    case abandoned
  }

  /// Pauses that grow, between repetitions.
  struct Pause {
    private(set) var end: Instant?
    private var length = Duration.zero

    mutating func begin(at now: Instant) {
      length = min(max(length * 2, .milliseconds(10)), .seconds(1))
      end = now + length
    }

    mutating func reset() { self = Pause() }

    func isOver(at now: Instant) -> Bool { end.map { $0 <= now } ?? true }
  }
}
