import Synchronization
import Tidemark

/// An observer that refuses one of the next commits of a connection, as if the disk was full.
final class CommitRefusal: TransactionObserver, Sendable {
  private let state = Mutex((number: 0, count: 0))

  /// The number of refused commits.
  var count: Int { state.withLock(\.count) }

  /// Refuses a commit.
  ///
  /// - Parameter number: 1 for the next commit, 2 for the one after it.
  func refuse(commit number: Int) { state.withLock { $0.number = number } }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) {}

  func databaseWillCommit() throws {
    let isRefused = state.withLock { state in
      state.number -= 1
      if state.number == 0 { state.count += 1 }
      return state.number == 0
    }
    if isRefused { throw DatabaseError(resultCode: .SQLITE_FULL) }
  }
}
