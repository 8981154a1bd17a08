import StressSupport
import Synchronization

/// A history of operations on lists, and of the observed lists: the times are increasing numbers.
///
/// Each write appends values to the lists of some keys; no value is appended twice. A read sees all lists.
struct History: Sendable {
  typealias Lists = [[Int]]

  struct Write: Sendable {
    /// Its place among the commits, known from a counter that each write increments.
    var commit: Int
    var appends: [(key: Int, value: Int)]
    var begin: Int
    var end: Int
  }

  struct Read: Sendable {
    /// Reads of one session follow each other.
    var session: Int
    var lists: Lists
    var begin: Int
    var end: Int
    /// The state it has to see, where that is known.
    var commit: Int?
    /// The kind of the read, for reports.
    var kind: String
  }

  var keyCount: Int
  var writes: [Write] = []
  var reads: [Read] = []
}

/// Takes note of a history while it happens.
final class HistoryRecorder: Sendable {
  private let clock = Atomic<Int>(0)
  private let history: Mutex<History>

  init(keyCount: Int) {
    history = Mutex(History(keyCount: keyCount))
  }

  /// A moment: later than all those before.
  func now() -> Int { clock.add(1, ordering: .sequentiallyConsistent).newValue }

  func record(_ write: History.Write) { history.withLock { $0.writes.append(write) } }

  func record(_ read: History.Read) { history.withLock { $0.reads.append(read) } }

  var recorded: History { history.withLock { $0 } }
}
