// Process locks: one task, of all processes that use a database, executes a closure.
//
//     request ── first of this process? ── no ──► wait for the turn
//                       └── yes ──► open the lock file ──► lock it ── free ──► is the file at its path? ──► held
//                                          ▲                   └── taken ──► wait for an event, or a pause
//                                          └─────────────────────────────────── no: it was replaced
//
// Invariants:
// 1. The lock of the file decides. The order of the requests of a process is a matter of fairness only.
// 2. No thread waits. A wait ends when the task is cancelled, and when the database is closed.
// 3. A lock is released once: the file first, then the turn.

/// The requests of this process.
private final class ProcessLockTable: Sendable {
  static let shared = ProcessLockTable()

  private struct State {
    var queue = ProcessLockQueue()
    var signals: [Int: AsyncSignal] = [:]
    var lastID = 0
    var stamp = ProcessStamp()
  }

  private let state = Mutex(State())

  func add(_ signal: AsyncSignal, for path: String) -> (id: Int, isTurn: Bool) {
    // The old state is released outside of the lock.
    let (id, isTurn, _) = state.withLock { state in
      var old: State?
      // The requests of a parent process, of which fork() has made a copy, never end here.
      if !state.stamp.isOfThisProcess { (old, state) = (state, State()) }
      state.lastID += 1
      state.signals[state.lastID] = signal
      return (state.lastID, state.queue.add(state.lastID, for: path), old)
    }
    return (id, isTurn)
  }

  func isTurn(of id: Int, for path: String) -> Bool { state.withLock { $0.queue.isTurn(of: id, for: path) } }

  func count(for path: String) -> Int { state.withLock { $0.queue.count(for: path) } }

  func remove(_ id: Int, for path: String) {
    let (_, next) = state.withLock { state in
      let signal = state.signals.removeValue(forKey: id)
      return (signal, state.queue.remove(id, for: path).flatMap { state.signals[$0] })
    }
    next?.raise()
  }
}

/// A lock that a task holds.
final class HeldProcessLock: Sendable {
  /// The locks that the current task holds, or the task that has created it.
  @TaskLocal static var ofTask: [HeldProcessLock] = []

  let path: String
  private let id: Int
  private let file: Mutex<LockFile?>

  fileprivate init(path: String, id: Int, _ file: LockFile) {
    (self.path, self.id) = (path, id)
    self.file = Mutex(file)
  }

  /// Whether the lock was not released yet: a task may outlive the closure in which it was created.
  var isHeld: Bool { file.withLock { $0 != nil } }

  func release() {
    guard let file = file.withLock({ $0.take() }) else { return }
    file.unlock()
    ProcessLockTable.shared.remove(id, for: path)
  }
}

/// A request for a process lock.
struct ProcessLockRequest {
  private let databasePath: String
  private let path: String
  private let clock: MonotonicClock
  private let signal = AsyncSignal()

  /// - Parameter path: The path of the lock file.
  /// - Parameter databasePath: The path of the database.
  init(path: String, databasePath: String, _ clock: MonotonicClock) {
    (self.path, self.databasePath, self.clock) = (path, databasePath, clock)
  }

  /// A request for a lock of a database.
  init(_ name: String, of core: _DatabaseCore) throws {
    let databasePath = try Self.path(of: core)
    try self.init(path: "\(databasePath)-lock-\(Self.checked(name))", databasePath: databasePath, core.clock)
    core.component { ProcessLockWaits() }.add(signal)
    // It may have been closed before the signal was added.
    if core.writer?.isClosed == true { throw Database.closedError }
    if HeldProcessLock.ofTask.contains(where: { $0.isHeld && $0.path == path }) {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: """
          the task holds the process lock "\(name)" already, or was created by a task that holds it: it would wait for \
          itself
          """)
    }
  }

  /// The path of a database, without symbolic links: each process finds the same one.
  private static func path(of core: _DatabaseCore) throws -> String {
    if core.isInherited { throw Database.inheritedError }
    guard let path = core.writer?.filePath else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "a database in memory, or a temporary one, has no process lock: no other process can open it")
    }
    guard let resolved = FilePath.resolved(path) else { throw Database.movedError(path: path) }
    return resolved
  }

  /// Returns a name that can be a part of the name of a file.
  private static func checked(_ name: String) throws -> String {
    let isValid =
      (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
    if isValid { return name }
    throw DatabaseError(
      resultCode: .SQLITE_MISUSE,
      message: """
        the name of a process lock consists of 1 to 64 ASCII letters, digits, "-", "_" and ".": found "\(name)"
        """)
  }

  /// The number of requests of this process that hold a lock, or wait for it.
  static func count(for path: String) -> Int { ProcessLockTable.shared.count(for: path) }

  // MARK: - Locking

  /// Takes the lock.
  ///
  /// - Parameter waits: Whether to wait while it is taken.
  /// - Returns: Nil if it is taken, and the request does not wait.
  func lock(waits: Bool) async throws -> HeldProcessLock? {
    try Task.checkCancellation()
    let (id, isTurn) = ProcessLockTable.shared.add(signal, for: path)
    do {
      if !isTurn, waits { try await waitForTurn(id) }
      if isTurn || waits, let file = try await lockedFile(waits: waits) {
        return HeldProcessLock(path: path, id: id, file)
      }
      ProcessLockTable.shared.remove(id, for: path)
      return nil
    } catch {
      ProcessLockTable.shared.remove(id, for: path)
      guard let failure = error as? LockFile.Failure else { throw error }
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN,
        message: "could not lock the file \(path), which must be writable: \(failure.reason)")
    }
  }

  private func waitForTurn(_ id: Int) async throws {
    while true {
      let count = signal.count
      if ProcessLockTable.shared.isTurn(of: id, for: path) { break }
      try await wait(after: count)
    }
    // Requests of other processes had no chance: they receive their event now.
    var pauses = ProcessLockPauses(hasEvents: true)
    try await pause(pauses.next(), after: signal.count)
  }

  private func lockedFile(waits: Bool) async throws -> LockFile? {
    while true {
      let file = try LockFile(path: path, permissionsOf: databasePath)
      if try !file.tryLock() {
        if !waits { return nil }
        try await waitForLock(of: file)
      }
      if file.isAtPath { return file }
      // Another process may lock the file that has taken its place.
    }
  }

  private func waitForLock(of file: LockFile) async throws {
    let watch = LockFileWatch(path: path) { [signal] in signal.raise() }
    var pauses = ProcessLockPauses(hasEvents: watch != nil)
    while true {
      let count = signal.count
      if try file.tryLock() { return }
      try await pause(pauses.next(), after: count)
      if watch?.takeEvent() == true { pauses.eventWasReported() }
    }
  }

  /// Waits for a signal, or until some time has passed.
  private func pause(_ duration: Duration, after count: UInt64) async throws {
    let cancel = clock.after(duration) { [signal] in signal.raise() }
    defer { cancel() }
    try await wait(after: count)
  }

  private func wait(after count: UInt64) async throws {
    await signal.wait(after: count)
    try Task.checkCancellation()
    if let error = signal.error { throw error }
  }
}

/// The waiting requests of a database, which end when it is closed.
private final class ProcessLockWaits: _DatabaseCore.Component {
  private struct Reference: Sendable {
    weak var signal: AsyncSignal?
  }

  private let references = Mutex<[Reference]>([])

  func add(_ signal: AsyncSignal) {
    references.withLock { references in
      references.removeAll { $0.signal == nil }
      references.append(Reference(signal: signal))
    }
  }

  func willClose() {}
  func didNotClose() {}
  func didClose() { references.withLock { $0 }.forEach { $0.signal?.fail(Database.closedError) } }
}
