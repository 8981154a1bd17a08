import Synchronization

/// Where the commits of a connection that writes are told, and where those who want to know say what.
///
/// Laws:
/// 1. A commit is told once COMMIT has succeeded, on the thread that committed, in the order of commits, before the
///    access goes on. Its number is greater than those before.
/// 2. Who is told must be quick, and use no database.
/// 3. A wish is in force for the commits whose `needsVersion` is at least the one that the wish was answered with. Who
///    wishes, and then begins to read the database, either reads what a commit before that has left, or is told of that
///    commit: with an older version, which says nothing of what has changed.
/// 4. A commit of which nobody wants to know is not told. Each commit that writes is counted, though, before it is
///    found out who wants to know: who reads the count, then the database, then wishes, and finds the count as it
///    was, has missed none.
final class ChangeBroker: Sendable {
  typealias Receiver = @Sendable (CommittedChanges) -> Void

  private struct State {
    var subscriptions: [(id: Int, needs: CaptureNeeds, receive: Receiver)] = []
    var nextID = 0

    /// Those who are told, in the order in which they came.
    var receivers: [Receiver] = []
    var needs = CaptureNeeds.none
    var version = 0
    var observerCount = 0
  }

  private let state = Mutex(State())
  private let versionFlag = Atomic<Int>(0)
  private let commitCount = Atomic<UInt64>(0)
  private let writes = Atomic<UInt64>(0)

  /// Turned on while somebody listens to rows.
  let listening: RowListening

  init(listening: RowListening) {
    self.listening = listening
  }

  /// The number of the last commit that was told, zero before the first. A read that begins now sees it.
  var lastCommitNumber: UInt64 { commitCount.load(ordering: .sequentiallyConsistent) }

  /// How many commits have written something, as far as their writer knows. See law 4.
  var writeCount: UInt64 { writes.load(ordering: .sequentiallyConsistent) }

  // MARK: Those who want to know

  /// Has a closure told of the commits that follow.
  func subscribe(_ needs: CaptureNeeds, _ receive: @escaping Receiver) -> ChangeSubscription {
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
    // What a receiver holds may cancel something when it is let go.
    _ = state.withLock { state in
      let gone = state.subscriptions.firstIndex { $0.id == id }.map { state.subscriptions.remove(at: $0) }
      let receivers = state.receivers
      _ = update(&state)
      return (gone?.receive, receivers)
    }
  }

  /// Joins the wishes. The version stays what it is when nothing is new.
  private func update(_ state: inout State) -> Int {
    state.receivers = state.subscriptions.map(\.receive)
    let needs = state.subscriptions.reduce(CaptureNeeds.none) { $0.union($1.needs) }
    if needs != state.needs {
      state.needs = needs
      state.version += 1
    }
    listening.isOn = !needs.isEmpty || state.observerCount > 0
    versionFlag.store(state.version, ordering: .sequentiallyConsistent)
    return state.version
  }

  // MARK: The connection

  /// The version of what is wanted.
  var version: Int { versionFlag.load(ordering: .sequentiallyConsistent) }

  /// What is wanted now.
  var current: (needs: CaptureNeeds, version: Int) { state.withLock { ($0.needs, $0.version) } }

  /// Has rows told when there are observers, even if nobody wants their values.
  func setObserverCount(_ count: Int) {
    state.withLock { state in
      state.observerCount = count
      listening.isOn = !state.needs.isEmpty || count > 0
    }
  }

  /// A commit that others see from now on has written something.
  func countWrite() { writes.wrappingAdd(1, ordering: .sequentiallyConsistent) }

  /// The number of a commit that is about to be told.
  func nextCommitNumber() -> UInt64 { commitCount.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }

  func publish(_ changes: CommittedChanges) {
    for receive in state.withLock(\.receivers) { receive(changes) }
  }
}

/// Somebody who is told of commits, until this is cancelled or released.
final class ChangeSubscription: Sendable {
  private let broker: ChangeBroker
  private let id: Int

  /// The first version of needs that has the wish of the beginning.
  let version: Int

  fileprivate init(broker: ChangeBroker, id: Int, version: Int) {
    self.broker = broker
    self.id = id
    self.version = version
  }

  deinit { broker.cancel(id) }

  /// Wants something else from the next transaction on.
  ///
  /// - returns: The first version of needs that has the wish.
  func setNeeds(_ needs: CaptureNeeds) -> Int { broker.setNeeds(needs, of: id) }

  /// How many commits have written something.
  var writeCount: UInt64 { broker.writeCount }

  func cancel() { broker.cancel(id) }
}
