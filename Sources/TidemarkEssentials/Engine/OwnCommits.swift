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
/// 4. `othersCount` is another number whenever others have committed before a state that is known.
final class OwnCommits: Sendable {
  private struct State {
    /// The last state that was told, or was ours.
    var known: WALIndexHeader?

    /// Where the head stands, while a commit of ours has begun, and its end was not told yet.
    var inFlight: WALIndexMemory?

    /// Whether others have committed before a state that is known, and no look has told.
    var hasOthers = false
  }

  /// What is never forgotten: those who count on it compare what it was with what it is.
  private struct Counts {
    /// How many commits of ours there were that have a known state.
    var own: UInt64 = 0

    /// The last one of them of which those were told who want to know.
    var told: UInt64 = 0

    /// How many times something was found that others had done, or may have done.
    var others: UInt64 = 0
  }

  /// What a look shows.
  enum Finding: Equatable {
    /// Nobody else has committed since the last look.
    case nothing
    case others

    /// Somebody is committing.
    case unclear
  }

  private struct Notes {
    var state = State()
    var counts = Counts()

    mutating func restart(_ state: State) {
      self.state = state
      counts.others += 1
    }

    mutating func noteOthers() {
      state.hasOthers = true
      counts.others += 1
    }
  }

  private let isOn = Atomic<Bool>(false)
  private let notes = Mutex(Notes())

  // MARK: Those who look

  /// Begins to take notes. Nothing is known at first.
  func begin() {
    notes.withLock { $0.restart(State()) }
    isOn.store(true, ordering: .sequentiallyConsistent)
  }

  /// Takes no notes any more.
  func end() {
    isOn.store(false, ordering: .sequentiallyConsistent)
  }

  /// Whether a state is known.
  var hasBegun: Bool { notes.withLock { $0.state.known != nil } }

  /// Somebody is about to read, for the first time: what others do from now on is to be seen.
  func begin(with header: WALIndexHeader) {
    notes.withLock { $0.state.known = $0.state.known ?? header }
  }

  /// The log may be given up: it is not to be looked at any more. What others do meanwhile cannot be told.
  func forget() {
    notes.withLock { $0.restart(State(known: nil, hasOthers: $0.state.known != nil || $0.state.hasOthers)) }
  }

  /// Looks whether others have committed since the last look.
  ///
  /// - parameter patience: Whether to wait for the end of a commit of ours.
  /// - parameter read: Reads the head of the log.
  func look(_ patience: Bool = true, _ read: () -> WALIndexHeader?) -> Finding {
    notes.withLock { notes in
      // Read under the lock: what is known is never newer.
      guard let header = read() else { return .unclear }
      if notes.state.known.map(header.hasSameContent) ?? true {
        notes.state.known = header
        defer { notes.state.hasOthers = false }
        return notes.state.hasOthers ? .others : .nothing
      }
      if notes.state.inFlight != nil, patience { return .unclear }
      notes.restart(State(known: header))
      return .others
    }
  }

  /// How many times something was found that others had done. What they do from now on makes it another number before
  /// a state that has it is known.
  var othersCount: UInt64 { notes.withLock(\.counts.others) }

  /// The same, if a state is that of our last commit, and those were told of that one who want to know; else nil.
  func othersCount(inToldState header: WALIndexHeader) -> UInt64? {
    notes.withLock { notes in
      let (known, counts) = (notes.state.known, notes.counts)
      guard let known, header.hasSameContent(as: known), counts.told == counts.own else { return nil }
      return counts.others
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
    notes.withLock { notes in
      // As long as nothing is known there may be no log, and SQLite would make one where it is asked for.
      guard let known = notes.state.known, let memory = WALIndexMemory(connection), let header = memory.header else {
        return
      }
      if !header.hasSameContent(as: known) { notes.noteOthers() }
      notes.state.known = header
      notes.state.inFlight = memory
    }
  }

  /// A commit has ended, and has left so many frames in the log.
  func didCommit(frameCount: UInt32) {
    guard isTakingNotes else { return }
    notes.withLock { notes in
      guard let memory = notes.state.inFlight.take() else { return }
      // Where others are committing already, the next look finds what it finds.
      guard let header = memory.header, let known = notes.state.known else { return }
      if !header.isNext(to: known) || header.frameCount != frameCount { notes.noteOthers() }
      notes.state.known = header
      notes.counts.own += 1
    }
  }

  /// Who wants to know of the last commit was told.
  func didTell() {
    guard isTakingNotes else { return }
    notes.withLock { $0.counts.told = $0.counts.own }
  }

  /// A commit has failed, or what has ended was none.
  func didNotCommit() {
    guard isTakingNotes else { return }
    notes.withLock { $0.state.inFlight = nil }
  }
}

/// Has notes taken of commits, until it goes.
final class OwnCommitNotes: Sendable {
  private let commits: OwnCommits

  init(_ commits: OwnCommits) {
    self.commits = commits
    commits.begin()
  }

  deinit { commits.end() }
}
