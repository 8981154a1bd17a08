import Synchronization

/// Delivers the commits of the writer connection to subscribers, and collects their needs.
///
/// Invariants:
/// 1. A commit is reported after COMMIT has succeeded, on the committing thread, in the order of commits, before the
///    access continues. Commit numbers increase.
/// 2. Subscribers return quickly, and do not use a database.
/// 3. Needs apply to commits whose `needsVersion` is at least the version that was returned when they were set. A
///    subscriber that sets its needs, and then reads the database, either reads the result of an earlier commit, or
///    receives this commit: with an older version, which does not say what has changed.
/// 4. A commit that no subscriber needs is not reported. But each commit that writes is counted, before the needs are
///    checked: a reader that reads the count, then the database, then sets its needs, and finds the count unchanged,
///    has missed no commit.
final class ChangeBroker: Sendable {
  typealias Receiver = @Sendable (CommittedChanges) -> Void

  private struct State {
    var subscriptions: [(id: Int, needs: CaptureNeeds, receive: Receiver?)] = []
    var nextID = 0

    /// The subscribers, in the order of their subscriptions.
    var receivers: [Receiver] = []
    var needs = CaptureNeeds.none
    var version = 0
    var observerCount = 0

    /// Whether the changes of a part of the current transaction are recorded.
    var isRecording = false

    var areRowsNeeded: Bool { !needs.isEmpty || observerCount > 0 || isRecording }
  }

  private let state = Mutex(State())
  private let versionFlag = Atomic<Int>(0)
  private let receiversFlag = Atomic<Bool>(false)
  private let commitCount = Atomic<UInt64>(0)
  private let writes = Atomic<UInt64>(0)

  /// Exist while subscribers or observers need row changes.
  let rowNeeds = RowNeeds()

  /// The transactions whose changes the connection has stored.
  let recordedVersions = RecordedVersions()

  /// The number of the last reported commit, zero before the first. A read that begins now sees it.
  var lastCommitNumber: UInt64 { commitCount.load(ordering: .sequentiallyConsistent) }

  /// The number of commits that have written something, as far as the writer knows. See invariant 4.
  var writeCount: UInt64 { writes.load(ordering: .sequentiallyConsistent) }

  // MARK: Subscribers

  /// Calls a closure with all following commits. Without a closure, only the needs are added.
  func subscribe(_ needs: CaptureNeeds, _ receive: Receiver?) -> ChangeSubscription {
    let (id, version) = state.withLock { state in
      state.nextID += 1
      state.subscriptions.append((state.nextID, needs, receive))
      return (state.nextID, update(&state))
    }
    return ChangeSubscription(broker: self, id: id, version: version)
  }

  fileprivate func setNeeds(_ needs: CaptureNeeds, of id: Int) -> Int {
    state.withLock { state in
      if let index = state.subscriptions.firstIndex(where: { $0.id == id }) {
        state.subscriptions[index].needs = needs
      }
      return update(&state)
    }
  }

  fileprivate func cancel(_ id: Int) {
    // Releasing a receiver may cancel something, which needs the lock.
    _ = state.withLock { state in
      let gone = state.subscriptions.firstIndex { $0.id == id }.map { state.subscriptions.remove(at: $0) }
      let receivers = state.receivers
      _ = update(&state)
      return (gone?.receive, receivers)
    }
  }

  /// Joins the needs. The version changes only if the needs change.
  private func update(_ state: inout State) -> Int {
    state.receivers = state.subscriptions.compactMap(\.receive)
    var needs = CaptureNeeds.none
    for subscription in state.subscriptions { needs.formUnion(subscription.needs) }
    if needs != state.needs {
      state.needs = needs
      state.version += 1
    }
    rowNeeds.exist = state.areRowsNeeded
    receiversFlag.store(!state.receivers.isEmpty, ordering: .sequentiallyConsistent)
    versionFlag.store(state.version, ordering: .sequentiallyConsistent)
    return state.version
  }

  // MARK: The connection

  /// The version of the needs.
  var version: Int { versionFlag.load(ordering: .sequentiallyConsistent) }

  /// Whether commits are reported to anyone. The change feed has needs, but reads the log itself.
  var hasReceivers: Bool { receiversFlag.load(ordering: .sequentiallyConsistent) }

  /// The current needs.
  var current: (needs: CaptureNeeds, version: Int) { state.withLock { ($0.needs, $0.version) } }

  /// While there are observers, row changes are needed, even if no subscriber needs values.
  func setObserverCount(_ count: Int) {
    state.withLock { state in
      state.observerCount = count
      rowNeeds.exist = state.areRowsNeeded
    }
  }

  /// While a part of a transaction is recorded, row changes are needed, even if nothing else needs them.
  func setRecording(_ isRecording: Bool) {
    state.withLock { state in
      state.isRecording = isRecording
      rowNeeds.exist = state.areRowsNeeded
    }
  }

  /// Counts a commit that has written something, and that others can see from now on.
  func countWrite() { writes.wrappingAdd(1, ordering: .sequentiallyConsistent) }

  /// The number of a commit that is about to be reported.
  func nextCommitNumber() -> UInt64 { commitCount.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }

  func publish(_ changes: CommittedChanges) {
    for receive in state.withLock(\.receivers) { receive(changes) }
  }
}

/// A subscription to commits, which lasts until it is cancelled or released.
final class ChangeSubscription: Sendable {
  private let broker: ChangeBroker
  private let id: Int

  /// The first version with the initial needs.
  let version: Int

  fileprivate init(broker: ChangeBroker, id: Int, version: Int) {
    self.broker = broker
    self.id = id
    self.version = version
  }

  deinit { broker.cancel(id) }

  /// Changes the needs, from the next transaction on.
  ///
  /// - Returns: The first version with the new needs.
  func setNeeds(_ needs: CaptureNeeds) -> Int { broker.setNeeds(needs, of: id) }

  /// The number of commits that have written something.
  var writeCount: UInt64 { broker.writeCount }

  func cancel() { broker.cancel(id) }
}
