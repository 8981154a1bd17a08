import CSQLite
import Synchronization

/// Statements that were let go outside of any access.
///
/// A cursor or a statement that escaped its access may be released at any time, on any thread, while
/// somebody else uses the connection: SQLite must not be called then. What has to be done waits here
/// for the next access, or for the end of the connection.
///
/// When the connection was given up while the program still held statements, no access will come: what has to be
/// done is done at once then, by one thread at a time. If it waited, the statement would hold the connection, and the
/// connection the statement.
final class Abandoned: Sendable {
  private enum Item {
    case reset(Statement, run: UInt)
    case finalize(SQLiteStatement, isRunning: Bool, ArgumentBytes)

    /// - returns: How many runs have ended that their statements did not take note of.
    @discardableResult
    func perform() -> Int {
      switch self {
      case .reset(let statement, let run):
        if statement.isRunning, statement.run == run { statement.finish() }
        return 0
      case .finalize(let pointer, let isRunning, _):
        sqlite3_finalize(pointer)
        return isRunning ? 1 : 0
      }
    }
  }

  // The items are touched under the mutex, or by whoever took them out of it.
  private struct Items: @unchecked Sendable {
    var list: [Item] = []
    var isOrphaned = false
  }

  private let items = Mutex(Items())
  private let pending = Atomic<Bool>(false)

  var isPending: Bool { pending.load(ordering: .acquiring) }

  /// - parameter arguments: What SQLite may look at until then.
  func addFinalization(of statement: SQLiteStatement, isRunning: Bool, keeping arguments: ArgumentBytes) {
    add(Items(list: [.finalize(statement, isRunning: isRunning, arguments)]))
  }

  func addReset(of statement: Statement, run: UInt) { add(Items(list: [.reset(statement, run: run)])) }

  private func add(_ added: Items) {
    let waits = items.withLock { items in
      if items.isOrphaned {
        // Under the lock: it is all that keeps others from the connection.
        for item in added.list { item.perform() }
      } else {
        items.list += added.list
      }
      return !items.isOrphaned
    }
    if waits { pending.store(true, ordering: .releasing) }
  }

  /// To be called by whoever has exclusive access to the connection.
  ///
  /// - returns: How many runs have ended that their statements did not take note of.
  func giveBack() -> Int {
    pending.store(false, ordering: .relaxed)
    let taken = items.withLock { items in
      defer { items.list = [] }
      return items
    }
    return taken.list.reduce(0) { $0 + $1.perform() }
  }

  /// To be called by the last one who could give access to the connection.
  func becomeOrphaned() {
    // Statements are released once the lock is: that of the last reference comes back to it.
    _ = items.withLock { items in
      defer { items.list = [] }
      items.isOrphaned = true
      for item in items.list { item.perform() }
      return items
    }
  }
}
