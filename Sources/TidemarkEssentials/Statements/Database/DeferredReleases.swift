import CSQLite
import Synchronization

/// Statements that were released outside of an access.
///
/// A cursor or a statement that has escaped its access may be released at any time, on any thread, while
/// another access uses the connection: SQLite must not be called then. The clean-up waits here
/// for the next access, or for the end of the connection.
///
/// If the connection was given up while the program still held statements, no access will follow: the clean-up happens
/// immediately then, on one thread at a time. Otherwise, the statement would retain the connection, and the
/// connection the statement.
final class DeferredReleases: Sendable {
  private enum Item {
    case reset(Statement, run: UInt)
    case finalize(SQLiteStatement, isRunning: Bool, Statement.ArgumentState)

    /// - Returns: The number of executions that have ended without a notification of their statements.
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

  // The items are accessed under the lock, or by the thread that took them out. The compiler cannot check this: a
  // statement belongs to its connection, and is passed to the thread of the next access here.
  private struct Items: @unchecked Sendable {
    var list: [Item] = []
    var isOrphaned = false
  }

  private let items = Mutex(Items())
  private let pending = Atomic<Bool>(false)

  var isPending: Bool { pending.load(ordering: .acquiring) }

  /// - Parameter arguments: The arguments, which SQLite may read until then.
  func addFinalization(of statement: SQLiteStatement, isRunning: Bool, keeping arguments: Statement.ArgumentState) {
    add(Items(list: [.finalize(statement, isRunning: isRunning, arguments)]))
  }

  func addReset(of statement: Statement, run: UInt) { add(Items(list: [.reset(statement, run: run)])) }

  private func add(_ added: Items) {
    let waits = items.withLock { items in
      if items.isOrphaned {
        // Under the lock, which protects the connection here.
        for item in added.list { item.perform() }
      } else {
        items.list += added.list
      }
      return !items.isOrphaned
    }
    if waits { pending.store(true, ordering: .releasing) }
  }

  /// Performs the clean-up. The caller has exclusive access to the connection.
  ///
  /// - Returns: The number of executions that have ended without a notification of their statements.
  func performPending() -> Int {
    pending.store(false, ordering: .relaxed)
    let taken = items.withLock { items in
      defer { items.list = [] }
      return items
    }
    return taken.list.reduce(0) { $0 + $1.perform() }
  }

  /// Reports that no further access will follow.
  func becomeOrphaned() {
    // Statements are released after the lock: the release of the last reference comes back to it.
    _ = items.withLock { items in
      defer { items.list = [] }
      items.isOrphaned = true
      for item in items.list { item.perform() }
      return items
    }
  }
}
