import CSQLite
import Synchronization

/// Statements that were let go outside of any access.
///
/// A cursor or a statement that escaped its access may be released at any time, on any thread, while
/// somebody else uses the connection: SQLite must not be called then. What has to be done waits here
/// for the next access, or for the end of the connection.
final class Abandoned: Sendable {
  private enum Item {
    case reset(Statement, run: UInt)
    case finalize(SQLiteStatement)
  }

  // The items are touched under the mutex, or by whoever took them out of it.
  private struct Items: @unchecked Sendable {
    var list: [Item] = []
  }

  private let items = Mutex(Items())
  private let pending = Atomic<Bool>(false)

  var isPending: Bool { pending.load(ordering: .acquiring) }

  func addFinalization(of statement: SQLiteStatement) { add(Items(list: [.finalize(statement)])) }

  func addReset(of statement: Statement, run: UInt) { add(Items(list: [.reset(statement, run: run)])) }

  private func add(_ added: Items) {
    items.withLock { $0.list += added.list }
    pending.store(true, ordering: .releasing)
  }

  /// To be called by whoever has exclusive access to the connection.
  func giveBack() {
    pending.store(false, ordering: .relaxed)
    let taken = items.withLock { items in
      defer { items.list = [] }
      return items
    }
    for item in taken.list {
      switch item {
      case .reset(let statement, let run):
        if statement.isRunning, statement.run == run { statement.finish() }
      case .finalize(let pointer): sqlite3_finalize(pointer)
      }
    }
  }
}
