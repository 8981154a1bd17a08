// The machine that decides what a node of a cluster does next. It is a value without SQLite, log, tasks and clock: the
// thread of the node (`ClusterNode`) carries out its steps, and so do the tests of random schedules.
//
//     idle ──entries were received──► apply ──► idle
//      ├─────writes wait, own turn──► execute ──entries──► appending ──all appended──► commit ──► idle
//      │                                 │                   ├──refused──► roll back ──► idle, execute again
//      │                                 │                   └──unknown──► in doubt ──► append the same entry again
//      │                                 └──no entries──► confirming ──still the last position──► commit
//      │                                                       └──another position──► roll back, execute again
//      └─────the log was discarded──► install a snapshot ──► idle
//     any ──end──► stopped, or closed: an open transaction is rolled back
//
// Invariants:
// - N1. `position` is the position that the file stores. The transaction of an attempt has begun in this state, and the
//   write lock is held until the fate of its entries is known.
// - N2. The first entry of an attempt names `position` as its predecessor, each other one the entry before it. So the
//   last one is stored if and only if nothing else was stored after `position`.
// - N3. The transaction of an attempt is committed if and only if its last entry is stored. If this is unknown, the
//   transaction stays open, or is rolled back when the node ends; then the entry is applied like an entry of another
//   node.
// - N4. Entries are applied in order and without gaps. An entry that does not follow the last known position stops the
//   node.
// - N5. A node that has stopped begins no step but `stop`.

/// The state machine of a node.
struct NodeMachine {
  typealias Instant = ContinuousClock.Instant

  /// A transaction of this node, between its execution and its end.
  private struct Attempt {
    /// The entries that are not known to be stored.
    var entries: ArraySlice<LogEntry>

    /// The number of entries that are.
    var storedCount = 0

    /// The position after all of them.
    var end: LogPosition

    /// Whether the first of `entries` may be stored.
    var isInDoubt = false

    /// Whether the position was confirmed, for an attempt without entries.
    var isConfirmed = false
    var defeat: Defeat?
    var pause = Pause()
  }

  /// The position that the file stores.
  private(set) var position: LogPosition

  /// Received entries after the position.
  private(set) var inbox: ArraySlice<ReceivedEntry> = []

  /// The turns of the nodes that write.
  private(set) var turns: WriteTurns

  /// Why the node has stopped.
  private(set) var ending: ClusterError?

  private var attempt: Attempt?
  private var author: ClusterPayload.Author
  private let slot: Duration

  /// The last position of the log that is known.
  private var confirmedEnd: LogPosition?

  /// The first such position: until it is known, and through it, entries may be of earlier times.
  private var firstEnd: LogPosition?

  /// The position through which the log was discarded, if it is beyond the own one; or the position of an entry that
  /// refers to a snapshot.
  private(set) var discarded: LogPosition?
  private var snapshotPause = Pause()
  private var hasNoSnapshot = false

  /// The wait for entries that the log contains, and the stream has not delivered.
  private var streamPause = Pause()

  /// The failure of the file that is to pass by itself.
  private var fileFailure: String?
  private var filePause = Pause()

  /// Why the log cannot be reached.
  private var logFailure: String?

  init(author: ClusterPayload.Author, position: LogPosition, slot: Duration) {
    (self.author, self.position, self.slot) = (author, position, slot)
    turns = WriteTurns(node: author.node, slot: slot)
  }

  /// The author of new entries.
  var nextAuthor: ClusterPayload.Author { author }

  /// The last position that is known to be in the log.
  var received: LogPosition { inbox.last?.entry.position ?? position }

  /// The bytes of the received entries.
  private(set) var receivedByteCount = 0

  /// Whether the outcome of an attempt is unknown.
  var isInDoubt: Bool { attempt?.isInDoubt == true }

  /// The state, for people and programs.
  var state: ClusterState {
    if let ending { return ending == .closed ? .closed : .stopped(ending) }
    if isInDoubt { return .inDoubt }
    if let failure = fileFailure ?? logFailure { return .detached(failure) }
    if hasNoSnapshot { return .behindLog }
    guard let confirmedEnd, inbox.isEmpty, discarded == nil else { return .catchingUp }
    return position.number >= confirmedEnd.number ? .current : .catchingUp
  }

  // MARK: - The next step

  /// Returns what to do.
  ///
  /// - Parameter hasWrites: Whether writes wait.
  func next(hasWrites: Bool, at now: Instant) -> Step {
    if let attempt { return next(attempt, at: now) }
    if ending != nil { return .stop }
    if !inbox.isEmpty { return filePause.isOver(at: now) ? .apply(batch) : .wait(until: filePause.end) }
    if let discarded {
      return snapshotPause.isOver(at: now) ? .installSnapshot(discarded) : .wait(until: snapshotPause.end)
    }
    // Before the log was reached, nothing is known about the position.
    guard hasWrites, confirmedEnd != nil else { return .wait(until: nil) }
    guard filePause.isOver(at: now) else { return .wait(until: filePause.end) }
    // The log has entries after this state, so another attempt without changes would be refused again.
    guard streamPause.isOver(at: now) else { return .wait(until: streamPause.end) }
    let turn = turns.earliestAttempt(at: now)
    return turn <= now ? .execute : .wait(until: turn)
  }

  private func next(_ attempt: Attempt, at now: Instant) -> Step {
    if let defeat = attempt.defeat { return .rollBack(defeat) }
    guard let entry = attempt.entries.first else {
      if attempt.storedCount > 0 || attempt.isConfirmed { return .commit }
      if ending != nil { return .rollBack(.failed("the database was closed")) }
      return attempt.pause.isOver(at: now) ? .confirm : .wait(until: attempt.pause.end)
    }
    if ending != nil { return .rollBack(mayBeStored(attempt) ? .abandoned : .failed("the database was closed")) }
    return attempt.pause.isOver(at: now) ? .append(entry) : .wait(until: attempt.pause.end)
  }

  /// Whether the last entry of an attempt may be in the log.
  private func mayBeStored(_ attempt: Attempt) -> Bool { attempt.isInDoubt && attempt.entries.count == 1 }

  // MARK: - Events of the log

  /// An entry was received from the stream of the log, or as the winner of an append.
  mutating func entryArrived(_ new: ReceivedEntry, at now: Instant) {
    if ending != nil { return }
    let (entry, last) = (new.entry, received)
    logFailure = nil
    if entry.number <= last.number {
      let known =
        entry.number == position.number ? position : inbox.first { $0.entry.number == entry.number }?.entry.position
      if let known, known != entry.position {
        end(.historyDiverged("expected entry \(known), found \(entry.position)"))
      }
      return
    }
    guard entry.predecessor == last else {
      // The winner of an append can be ahead of the stream, which delivers it again.
      if entry.number > last.number + 1 { return }
      return end(.historyDiverged("entry \(entry.position) follows \(entry.predecessor), not \(last)"))
    }
    if new.isSnapshot {
      logWasDiscarded(through: entry.position)
    } else {
      add(new)
      noteAuthor(new, at: now)
    }
    if ending == nil { decideAttempt(with: entry, at: now) }
  }

  private mutating func add(_ new: ReceivedEntry) {
    inbox.append(new)
    streamPause.reset()
    receivedByteCount += new.entry.payload.count
  }

  private mutating func noteAuthor(_ new: ReceivedEntry, at now: Instant) {
    guard case .success(let payload) = new.payload else { return }
    let other = payload.author
    if other.node == author.node, other != author {
      if let firstEnd, new.entry.number > firstEnd.number {
        if other.isLater(than: author) { return end(.replaced(node: author.node)) }
      } else {
        // Written before this node was opened, perhaps by a file that is lost.
        author.incarnation = max(author.incarnation, other.incarnation + 1)
      }
    }
    noteTurn(payload, at: now)
  }

  private mutating func noteTurn(_ payload: ClusterPayload, at now: Instant) {
    let node = payload.author.node
    turns.entryArrived(from: node, at: now)
    // Other nodes do not interrupt a group that consists of several entries.
    if case .part = payload.content {
      turns.holdTurn(for: node, until: now + slot * 20)
    } else {
      turns.releaseTurn(of: node)
    }
  }

  /// An entry at the place of an attempt's entry decides about it.
  private mutating func decideAttempt(with entry: LogEntry, at now: Instant) {
    guard attempt?.defeat == nil, let own = attempt?.entries.first, own.number == entry.number else { return }
    if own == entry { entryIsStored() } else { attempt?.defeat = .refused }
  }

  /// The log has returned its last position.
  ///
  /// - Parameter known: The position of the node when it asked.
  mutating func logAnswered(_ last: LogPosition, whenKnown known: LogPosition) {
    if ending != nil { return }
    logFailure = nil
    firstEnd = firstEnd ?? last
    if confirmedEnd.map({ $0.number < last.number }) ?? true { confirmedEnd = last }
    if last.number < known.number {
      return end(.historyDiverged("the log ends at \(last), before the position \(known) of this node"))
    }
    if last.number == known.number, last != known {
      end(.historyDiverged("the log contains \(last) instead of \(known)"))
    }
  }

  /// The log could not be reached.
  mutating func logFailed(_ reason: String) { if ending == nil { logFailure = reason } }

  /// The entries through a position are not in the log any more.
  mutating func logWasDiscarded(through position: LogPosition) {
    guard ending == nil, position.number > received.number else { return }
    discarded = position
  }

  // MARK: - Events of an attempt

  /// The waiting writes were executed in an open transaction.
  ///
  /// - Parameter entries: The entries to append, each one after the one before it.
  mutating func didExecute(_ entries: [LogEntry]) {
    attempt = Attempt(entries: entries[...], end: entries.last?.position ?? position)
    // An entry has arrived meanwhile.
    if !inbox.isEmpty { attempt?.defeat = .refused }
  }

  private mutating func entryIsStored() {
    attempt?.entries.removeFirst()
    attempt?.storedCount += 1
    attempt?.isInDoubt = false
    attempt?.pause.reset()
  }

  mutating func appendReturned(_ result: AppendResult, of entry: LogEntry, at now: Instant) {
    // The stream may have decided before.
    guard attempt?.defeat == nil, attempt?.entries.first == entry else { return }
    switch result {
    // A log that has stored the entry before may take it for the entry of another node.
    case .appended, .refused(winner: entry):
      logFailure = nil
      entryIsStored()
    case .refused(let winner):
      attempt?.defeat = .refused
      entryArrived(ReceivedEntry(winner), at: now)
    case .unknown:
      attempt?.isInDoubt = true
      attempt?.pause.begin(at: now)
      logFailure = "the result of an append is unknown"
    }
  }

  mutating func appendFailed(_ error: LogError, of entry: LogEntry, at now: Instant) {
    // The stream may have decided before: the entry is stored, and was discarded since.
    guard attempt?.defeat == nil, attempt?.entries.first == entry else { return }
    let isInDoubt = attempt?.isInDoubt == true
    switch error {
    case .historyDiverged, .identityReused, .corrupted:
      attempt?.defeat = isInDoubt ? .abandoned : .refused
      end(.historyDiverged(error.description))
    case .behindLog(let position):
      attempt?.defeat = isInDoubt ? .abandoned : .refused
      logWasDiscarded(through: position)
    case .unavailable(let reason), .rejected(let reason):
      logFailed(reason)
      attempt?.pause.begin(at: now)
      if case .rejected = error, !isInDoubt { attempt?.defeat = .failed(reason) }
    case .entryTooLarge: attempt?.defeat = isInDoubt ? .abandoned : .failed(error.description)
    }
  }

  /// The last position of the log, after the attempt has changed nothing.
  mutating func didConfirm(_ last: LogPosition, at now: Instant) {
    logAnswered(last, whenKnown: position)
    guard attempt != nil, attempt?.defeat == nil else { return }
    if last == position {
      attempt?.isConfirmed = true
    } else {
      attempt?.defeat = .refused
      streamPause.begin(at: now)
    }
  }

  mutating func confirmFailed(_ reason: String, at now: Instant) {
    logFailed(reason)
    attempt?.pause.begin(at: now)
  }

  /// The time of a caller is over, or no caller waits for the attempt any more. It ends, unless it may have been
  /// appended.
  ///
  /// - Returns: Whether it ends.
  mutating func attemptIsUnwanted() -> Bool {
    guard let attempt else { return false }
    if attempt.defeat == nil {
      if attempt.isInDoubt || attempt.storedCount > 0 || attempt.isConfirmed { return false }
      self.attempt?.defeat = .expired(logFailure ?? "the log has not replied in time")
    }
    return true
  }

  /// The transaction of the attempt was committed.
  mutating func didCommit(_ payload: ClusterPayload?, at now: Instant) {
    guard let attempt else { return }
    self.attempt = nil
    // If the stream has delivered the entry, its turn is noted.
    if let payload, received.number < attempt.end.number { noteTurn(payload, at: now) }
    moveTo(attempt.end)
    fileWorks()
  }

  /// The transaction of the attempt was rolled back.
  mutating func didRollBack() {
    if attempt?.defeat == .refused { turns.wasRefused() }
    attempt = nil
  }

  /// The transaction of the attempt could not be committed, although its entries are stored.
  mutating func commitFailed(_ reason: String, _ entries: [LogEntry], at now: Instant) {
    attempt = nil
    // They are applied like entries of others. The stream may have delivered some of them.
    for entry in entries where entry.number > received.number { add(ReceivedEntry(entry)) }
    fileFailed(reason, at: now)
  }

  // MARK: - Events of the file

  /// Entries were applied.
  mutating func didApply(through position: LogPosition) {
    moveTo(position)
    fileWorks()
  }

  /// The file could not be written, for a reason that may pass.
  mutating func fileFailed(_ reason: String, at now: Instant) {
    fileFailure = reason
    filePause.begin(at: now)
  }

  private mutating func fileWorks() {
    fileFailure = nil
    filePause.reset()
  }

  private mutating func moveTo(_ new: LogPosition) {
    position = new
    while let first = inbox.first, first.entry.number <= new.number {
      receivedByteCount -= first.entry.payload.count
      inbox.removeFirst()
    }
    if let discarded, discarded.number > new.number { return }
    (discarded, hasNoSnapshot) = (nil, false)
    snapshotPause.reset()
  }

  /// A snapshot was installed. Entries after it, which have arrived meanwhile, stay: the stream does not repeat them.
  mutating func didInstallSnapshot(at position: LogPosition) {
    moveTo(position)
    if let next = inbox.first?.entry, next.predecessor != position {
      end(.historyDiverged("entry \(next.position) follows \(next.predecessor), not \(position)"))
    }
    fileWorks()
  }

  /// No snapshot is new enough, or it could not be installed.
  mutating func snapshotFailed(at now: Instant) {
    hasNoSnapshot = true
    snapshotPause.begin(at: now)
  }

  // MARK: - Ends

  /// Stops the node. The first reason stays.
  mutating func end(_ reason: ClusterError) { ending = ending ?? reason }
}
