import CSQLite
import Synchronization

/// Tells the commits of one connection from those of all others, in a database with a write-ahead log.
///
///     commit hook ── the lock of the writer is ours: what the log's head says is what others have left
///     log hook ───── the head is that state and one commit more: it is ours
///     a look ─────── the head is another one: somebody else's
///
/// Laws:
/// 1. Others are never taken for us. A state is ours when it is exactly one commit behind one that was known while the
///    lock of the writer was ours; whatever cannot be told is of others.
/// 2. What is known was there before the first read that counts on it: what is committed after that read is seen.
/// 3. A commit that is being made is neither: who looks then, looks again.
final class OwnCommits: Sendable {
  private struct State {
    /// The last state that was told, or was ours.
    var known: WALIndexHeader?

    /// Where the head stands, while a commit of ours has begun, and its end was not told yet.
    var inFlight: WALIndexMemory?

    /// Whether others have committed before a state that is known.
    var hasOthers = false
  }

  /// What a look shows.
  enum Finding: Equatable {
    /// Nobody else has committed since the last look.
    case nothing
    case others

    /// Somebody is committing.
    case unclear
  }

  private let isOn = Atomic<Bool>(false)
  private let state = Mutex(State())

  // MARK: Those who look

  /// Begins to take notes. Nothing is known at first.
  func begin() {
    state.withLock { $0 = State() }
    isOn.store(true, ordering: .sequentiallyConsistent)
  }

  /// Takes no notes any more.
  func end() {
    isOn.store(false, ordering: .sequentiallyConsistent)
  }

  /// Whether a state is known.
  var hasBegun: Bool { state.withLock { $0.known != nil } }

  /// Somebody is about to read, for the first time: what others do from now on is to be seen.
  func begin(with header: WALIndexHeader) {
    state.withLock { $0.known = $0.known ?? header }
  }

  /// The log may be given up: it is not to be looked at any more. What others do meanwhile cannot be told.
  func forget() {
    state.withLock { $0 = State(known: nil, hasOthers: $0.known != nil || $0.hasOthers) }
  }

  /// Looks whether others have committed since the last look.
  ///
  /// - parameter patience: Whether to wait for the end of a commit of ours.
  /// - parameter read: Reads the head of the log.
  func look(_ patience: Bool = true, _ read: () -> WALIndexHeader?) -> Finding {
    state.withLock { state in
      // Read under the lock: what is known is never newer.
      guard let header = read() else { return .unclear }
      guard let known = state.known else {
        state.known = header
        defer { state.hasOthers = false }
        return state.hasOthers ? .others : .nothing
      }
      if header.hasSameContent(as: known) {
        state.known = header
        defer { state.hasOthers = false }
        return state.hasOthers ? .others : .nothing
      }
      if state.inFlight != nil, patience { return .unclear }
      state = State(known: header)
      return .others
    }
  }

  // MARK: The connection

  /// Whether somebody wants to know.
  var isTakingNotes: Bool { isOn.load(ordering: .relaxed) }

  /// A commit begins.
  ///
  /// - parameter connection: The one whose commits are ours.
  func willCommit(on connection: SQLiteConnection) {
    // Another database of the connection may be the one that is committed.
    guard isTakingNotes, sqlite3_txn_state(connection, "main") == SQLITE_TXN_WRITE else { return }
    state.withLock { state in
      // As long as nothing is known there may be no log, and SQLite would make one where it is asked for.
      guard let known = state.known, let memory = WALIndexMemory(connection), let header = memory.header else { return }
      if !header.hasSameContent(as: known) { state.hasOthers = true }
      state.known = header
      state.inFlight = memory
    }
  }

  /// A commit has ended, and has left so many frames in the log.
  func didCommit(frameCount: UInt32) {
    guard isTakingNotes else { return }
    state.withLock { state in
      guard let memory = state.inFlight.take() else { return }
      // Where others are committing already, the next look finds what it finds.
      guard let header = memory.header, let known = state.known else { return }
      if !header.isNext(to: known) || header.frameCount != frameCount { state.hasOthers = true }
      state.known = header
    }
  }

  /// A commit has failed, or what has ended was none.
  func didNotCommit() {
    guard isTakingNotes else { return }
    state.withLock { $0.inFlight = nil }
  }
}
