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

    /// Whether a commit of ours has begun, and its end was not told yet.
    var isInFlight = false

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

  private let connection: UInt
  private let isOn = Atomic<Bool>(false)
  private let state = Mutex(State())

  /// - parameter connection: The one whose commits are ours.
  init(_ connection: SQLiteConnection?) {
    self.connection = UInt(bitPattern: connection)
  }

  private var header: WALIndexHeader? {
    SQLiteConnection(bitPattern: connection).flatMap { WALIndexHeader.current($0) }
  }

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
      if state.isInFlight, patience { return .unclear }
      state = State(known: header)
      return .others
    }
  }

  // MARK: The connection

  /// A commit begins.
  func willCommit() {
    guard isOn.load(ordering: .relaxed), let pointer = SQLiteConnection(bitPattern: connection),
      // Another database of the connection may be the one that is committed.
      sqlite3_txn_state(pointer, "main") == SQLITE_TXN_WRITE
    else { return }
    state.withLock { state in
      // As long as nothing is known there may be no log, and SQLite would make one where it is asked for.
      guard let known = state.known, let header else { return }
      if !header.hasSameContent(as: known) { state.hasOthers = true }
      state.known = header
      state.isInFlight = true
    }
  }

  /// A commit has ended, and has left so many frames in the log.
  func didCommit(frameCount: UInt32) {
    guard isOn.load(ordering: .relaxed) else { return }
    state.withLock { state in
      guard state.isInFlight else { return }
      state.isInFlight = false
      // Where others are committing already, the next look finds what it finds.
      guard let header, let known = state.known else { return }
      if !header.isNext(to: known) || header.frameCount != frameCount { state.hasOthers = true }
      state.known = header
    }
  }

  /// A commit has failed, or what has ended was none.
  func didNotCommit() {
    guard isOn.load(ordering: .relaxed) else { return }
    state.withLock { $0.isInFlight = false }
  }
}
