import Dispatch
import Foundation
import Tidemark

// The thread of a node, which carries out the steps of `NodeMachine`.
//
//     callers ──writes──► queue ──┐                      ┌──► log (append, barrier)
//     log ──entries──► inbox ─────┴──► thread ──► file   │
//                                        └───────────────┘
//
// The thread is the only user of the writer connection. A transaction stays open while it waits for the log, so it must
// not be a thread of Swift's pool. All state is under one lock, which is a leaf; SQLite, the log and callers are used
// outside of it.

/// A node of a cluster: its file, its thread, and its tasks that listen to the log.
final class ClusterNode: Sendable {
  typealias Instant = ContinuousClock.Instant

  let pool: DatabasePool
  let log: any ReplicatedLog
  let configuration: ClusterConfiguration

  /// Raised when the position has changed, or the node has stopped.
  let positionSignal = AsyncSignal()

  private struct State {
    var machine: NodeMachine
    var writes: [PendingWrite] = []
    var metrics = ClusterMetrics()
    var observers: [Int: AsyncStream<ClusterState>.Continuation] = [:]
    var observerCount = 0
    var lastState = ClusterState.catchingUp

    /// The request for which the thread waits, and the end of its wait.
    var request: (task: Task<Void, Never>, done: DispatchSemaphore)?
    var tasks: [Task<Void, Never>] = []
    var snapshotTask: Task<Void, Never>?

    /// The number of writes in the last group, and the time of its append.
    var pace: (writeCount: Int, appendTime: Duration) = (0, .zero)
    var hasEnded = false

    /// The thread of the node.
    var thread: pthread_t?
  }

  private let state: ProtectedValue<State>
  let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  init(_ pool: DatabasePool, _ log: any ReplicatedLog, _ configuration: ClusterConfiguration) throws {
    (self.pool, self.log, self.configuration) = (pool, log, configuration)
    let path = pool.path
    let storage = try pool.writeWithoutTransaction {
      try NodeStorage($0, path: path, trustsFile: configuration.trustsFile)
    }
    let author = ClusterPayload.Author(node: configuration.node, incarnation: storage.incarnation, id: UUID())
    let machine = NodeMachine(author: author, position: storage.position, slot: configuration.turnLength)
    state = ProtectedValue(State(machine: machine))
    SystemThread.run(name: "tidemark.node", stackSize: 1 << 20) { self.run(storage) }
    let tasks = [Task { await self.follow() }, Task { await self.listen() }]
    state.withLock { $0.tasks = tasks }
  }

  // MARK: - State

  /// Changes the machine, wakes the thread, and notifies the observers of the state.
  @discardableResult
  func update<Result: Sendable>(_ body: (inout NodeMachine, Instant) -> Result) -> Result {
    let (result, hasMoved) = state.withLock { state in
      let former = state.machine.position
      let result = body(&state.machine, .now)
      let new = state.machine.state
      let hasChanged = new != state.lastState
      state.lastState = new
      // With the lock, so that other threads report their states before or after this one. A stream calls
      // `onTermination`, which takes the lock, only when it ends.
      if hasChanged { for observer in state.observers.values { observer.yield(new) } }
      return (result, former != state.machine.position || hasChanged)
    }
    if hasMoved { positionSignal.raise() }
    wake.signal()
    return result
  }

  var currentState: ClusterState { state.withLock { $0.machine.state } }
  var position: LogPosition { state.withLock { $0.machine.position } }
  var ending: ClusterError? { state.withLock { $0.machine.ending } }

  var metrics: ClusterMetrics {
    state.withLock { state in
      var metrics = state.metrics
      metrics.position = state.machine.position
      return metrics
    }
  }

  /// The number of writes in the last group, and the time of its append.
  var pace: (writeCount: Int, appendTime: Duration) { state.withLock(\.pace) }

  func notePace(of writeCount: Int, _ appendTime: Duration) { state.withLock { $0.pace = (writeCount, appendTime) } }

  func count(_ body: (inout ClusterMetrics) -> Void) { state.withLock { body(&$0.metrics) } }

  /// The states from now on, beginning with the current one.
  func states() -> AsyncStream<ClusterState> {
    let (stream, continuation) = AsyncStream.makeStream(of: ClusterState.self)
    let (number, hasEnded) = state.withLock { state in
      state.observerCount += 1
      if !state.hasEnded { state.observers[state.observerCount] = continuation }
      continuation.yield(state.machine.state)
      return (state.observerCount, state.hasEnded)
    }
    if hasEnded { continuation.finish() }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
    }
    return stream
  }

  // MARK: - Writes

  /// Adds a write to the queue.
  func submit(_ write: PendingWrite) {
    let ending = state.withLock { state in
      if state.machine.ending == nil { state.writes.append(write) }
      return state.machine.ending
    }
    if let ending { write.giveUp(ending) }
    wake.signal()
  }

  /// The caller of a write does not wait any more.
  func cancel(_ write: PendingWrite) {
    write.giveUp(CancellationError())
    wake.signal()
  }

  /// The next write whose caller waits.
  func takeWrite() -> PendingWrite? {
    while let write = state.withLock({ $0.writes.isEmpty ? nil : $0.writes.removeFirst() }) {
      if write.willExecute() { return write }
    }
    return nil
  }

  /// Puts writes that must be executed again before the others.
  func putBack(_ writes: [PendingWrite]) { state.withLock { $0.writes.insert(contentsOf: writes, at: 0) } }

  // MARK: - The thread

  private func run(_ storage: NodeStorage) {
    var storage = storage
    state.withLock { $0.thread = pthread_self() }
    while true {
      switch nextStep() {
      case .apply(let entries): apply(entries, &storage)
      case .execute: execute(&storage)
      case .installSnapshot(let position): installSnapshot(after: position, &storage)
      case .wait(let end): wait(until: end, [])
      case .append, .confirm, .commit, .rollBack: preconditionFailure("A step of an attempt without an attempt")
      case .stop: return stop()
      }
    }
  }

  func nextStep() -> NodeMachine.Step {
    let hasWrites = state.withLock(\.writes).contains(where: \.isWanted)
    return state.withLock { $0.machine.next(hasWrites: hasWrites, at: .now) }
  }

  /// Waits for an event, until a time. Writes whose time is over are given up.
  ///
  /// - Parameter executed: Writes that are not in the queue.
  func wait(until end: Instant?, _ executed: [PendingWrite]) {
    let nextDeadline = giveUpLateWrites(executed)
    guard let next = [end, nextDeadline].compactMap(\.self).min() else { return wake.wait() }
    let (seconds, attoseconds) = max(Instant.now.duration(to: next), .zero).components
    _ = wake.wait(timeout: .now() + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)))
  }

  /// Gives up the writes whose time is over.
  ///
  /// - Parameter executed: Writes that are not in the queue.
  /// - Returns: The first deadline of the others.
  private func giveUpLateWrites(_ executed: [PendingWrite]) -> Instant? {
    let now = Instant.now
    let queue = state.withLock(\.writes)
    let writes = (executed + queue).filter(\.isWanted)
    for write in writes where write.deadline <= now { write.giveUp(unavailability) }
    removeFromQueue(queue.filter { !$0.isWanted })
    return writes.map(\.deadline).filter { $0 > now }.min()
  }

  /// Releases the closures of writes whose callers do not wait any more. It may be long until the next execution.
  private func removeFromQueue(_ ended: [PendingWrite]) {
    if ended.isEmpty { return }
    let ids = Set(ended.map(ObjectIdentifier.init))
    state.withLock { $0.writes.removeAll { ids.contains(ObjectIdentifier($0)) } }
  }

  /// Why a write has not begun until its deadline.
  private var unavailability: ClusterError {
    if let obstacle { return obstacle }
    switch currentState {
    case .detached(let reason): return .unavailable(reason)
    case .catchingUp: return .unavailable("this node was still catching up with the log")
    default: return .unavailable("the log has not replied in time")
    }
  }

  /// Why the node does not reach a position: it has stopped, or requires a snapshot; nil if it may reach the position.
  var obstacle: ClusterError? {
    state.withLock { state in
      if let ending = state.machine.ending { return ending }
      guard state.machine.state == .behindLog, let discarded = state.machine.discarded else { return nil }
      return .behindLog(discardedThrough: discarded)
    }
  }

  private func stop() {
    let (writes, observers, tasks, reason) = state.withLock { state in
      (state.hasEnded, state.thread) = (true, nil)
      let tasks = state.tasks + [state.snapshotTask].compactMap(\.self)
      defer { (state.writes, state.observers, state.tasks) = ([], [:], []) }
      return (state.writes, Array(state.observers.values), tasks, state.machine.ending ?? .closed)
    }
    for write in writes { write.giveUp(reason) }
    for task in tasks { task.cancel() }
    for observer in observers { observer.finish() }
    positionSignal.raise()
    ended.signal()
  }

  /// Ends the node, without waiting for its thread.
  func end() {
    update { machine, _ in machine.end(.closed) }
    let request = state.withLock { $0.request }
    request?.task.cancel()
    request?.done.signal()
  }

  /// Ends the node, and waits for its thread.
  func close() {
    let isOwnThread = state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    precondition(!isOwnThread, "A cluster database cannot be closed inside of one of its writes")
    end()
    ended.wait()
    // For the next call.
    ended.signal()
  }

  /// Runs an asynchronous operation, and waits for it on this thread.
  ///
  /// The end of the node cancels the operation, and ends the wait at once: the operation may need a thread of Swift's
  /// pool, and all of them may be closing nodes. The result is a `CancellationError` then, although the operation may
  /// have had an effect.
  ///
  /// - Parameter executed: Writes that are not in the queue. Neither they nor the others wait beyond their deadlines.
  func waiting<Value: Sendable>(
    with executed: [PendingWrite] = [], _ operation: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error> {
    let box = ResultBox<Value>()
    let done = DispatchSemaphore(value: 0)
    let task = Task.detached {
      let value: Result<Value, any Error>
      do { value = .success(try await operation()) } catch { value = .failure(error) }
      box.set(value)
      done.signal()
    }
    let isEnding = state.withLock { state in
      state.request = (task, done)
      return state.machine.ending != nil
    }
    if isEnding {
      task.cancel()
      done.signal()
    }
    // More writes may be added to the queue meanwhile.
    while done.wait(timeout: .now() + .milliseconds(50)) == .timedOut { _ = giveUpLateWrites(executed) }
    let finished = state.withLock { $0.request.take() }
    _ = finished
    return box.take() ?? .failure(CancellationError())
  }

  /// Reports a step to the tests.
  ///
  /// - Throws: ``NodeWasKilled`` if the node is to stop at once.
  func reach(_ event: NodeEvent) throws {
    do { try configuration.didReach?(event) } catch { throw NodeWasKilled() }
  }

  /// Handles an error of the file, after the transaction was rolled back.
  func fileFailed(_ error: any Error) {
    update { machine, now in
      switch error {
      case is NodeWasKilled: machine.end(.closed)
      case let error as ClusterError: machine.end(error)
      case is ChangesetConflict, is ChangesetError:
        machine.end(.historyDiverged("an entry cannot be applied: \(error)"))
      case let error as DatabaseError where !error.mayPass: machine.end(.fileFailed("\(error)"))
      default: machine.fileFailed("\(error)", at: now)
      }
    }
  }

  // MARK: - Snapshots in the background

  /// Begins to save a snapshot, unless another one is being saved.
  func saveSnapshotInBackground() {
    state.withLock { state in
      guard state.snapshotTask == nil, state.machine.ending == nil else { return }
      state.snapshotTask = Task {
        do { _ = try await self.saveSnapshot() } catch {
          Database.log(error, "Could not save a snapshot of the cluster")
        }
        self.state.withLock { $0.snapshotTask = nil }
      }
    }
  }
}

/// The result of an operation for which a thread waits.
private final class ResultBox<Value: Sendable>: Sendable {
  private let result = ProtectedValue<Result<Value, any Error>?>(nil)

  func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }

  func take() -> Result<Value, any Error>? { result.withLock { $0.take() } }
}

/// A test has stopped the node.
struct NodeWasKilled: Error {}

extension DatabaseError {
  /// Whether the error of a file may pass by itself.
  var mayPass: Bool {
    switch resultCode {
    case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_NOMEM, .SQLITE_INTERRUPT,
      .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_ABORT:
      true
    default: false
    }
  }
}
