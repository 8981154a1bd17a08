/// The thread that looks at all databases of the process whose live queries want to know of the commits of others. It
/// is there as long as one of them does.
///
/// One is enough: to look takes microseconds, and nobody is waited for.
final class CommitWatcher: Sendable {
  private struct State {
    var watches: [CommitWatch] = []
    var thread: LookingThread?
  }

  private let state = Mutex(State())
  private let stamp = ProcessStamp()

  private static let current = Mutex(CommitWatcher())

  /// That of this process: a child made by `fork` has another one than its parent.
  static var shared: CommitWatcher {
    current.withLock { current in
      if !current.stamp.isOfThisProcess { current = CommitWatcher() }
      return current
    }
  }

  func add(_ watch: CommitWatch) {
    state.withLock { state in
      state.watches.append(watch)
      if let thread = state.thread { return thread.events.wake() }
      let thread = LookingThread(self, canListen: true)
      state.thread = thread
      thread.start()
    }
  }

  /// A database is of no interest any more. When it was the last one, the thread has ended when this returns, unless it
  /// is the calling one.
  func remove(_ watch: CommitWatch) {
    let thread = state.withLock { state -> LookingThread? in
      state.watches.removeAll { $0 === watch }
      guard state.watches.isEmpty, let thread = state.thread else {
        state.thread?.events.wake()
        return nil
      }
      state.thread = nil
      return thread
    }
    thread?.stop()
  }

  /// What a thread has to look at; nil when it is to end.
  fileprivate func watches(of thread: LookingThread) -> [CommitWatch]? {
    state.withLock { $0.thread === thread ? $0.watches : nil }
  }
}

/// A thread that looks.
private final class LookingThread: @unchecked Sendable {
  let events: FileEvents
  private let watcher: CommitWatcher
  private let stopping = ThreadStop()

  // Touched by the thread only.
  private var places: [ObjectIdentifier: Place] = [:]
  private var folders: [String: Folder] = [:]
  private let clock = WorldClock.live

  private struct Place {
    var watch: CommitWatch
    var lookout: CommitLookout
    var ownCommitCount: UInt64
    var hasEnded = false
  }

  private struct Folder {
    /// Nil when it cannot be watched.
    var watch: FileEvents.Watch?
    var isMuted = false
  }

  /// How often one looks where the system tells nothing.
  private static let unheardRest = Duration.milliseconds(25)

  init(_ watcher: CommitWatcher, canListen: Bool) {
    self.watcher = watcher
    events = FileEvents(canWatch: canListen)
  }

  func start() {
    SystemThread.run(name: "Tidemark.others", stackSize: 1 << 20) { self.run() }
  }

  /// Has the thread end, and waits for it.
  func stop() {
    events.wake()
    stopping.wait()
  }

  private func run() {
    FileEvents.sleepExactly()
    while let watches = watcher.watches(of: self) {
      update(watches)
      lookAround()
      listen()
      let next = places.values.lazy.filter { !$0.hasEnded }.map(\.lookout.next).min()
      events.wait(for: max((next ?? .seconds(60)) - clock.now(), .zero))
      readEvents()
    }
    stopping.end()
  }

  // MARK: Databases

  private func update(_ watches: [CommitWatch]) {
    guard places.count != watches.count || watches.contains(where: { places[ObjectIdentifier($0)] == nil }) else {
      return
    }
    let known = places
    places = [:]
    for watch in watches {
      let id = ObjectIdentifier(watch)
      places[id] = known[id] ?? place(of: watch)
    }
    for (path, folder) in folders where !watches.contains(where: { $0.folder == path && $0.listens }) {
      if let watch = folder.watch { events.forget(watch) }
      folders[path] = nil
    }
  }

  private func place(of watch: CommitWatch) -> Place {
    if watch.listens, folders[watch.folder] == nil {
      folders[watch.folder] = Folder(watch: events.watch(watch.folder))
    }
    return Place(watch: watch, lookout: lookout(of: watch), ownCommitCount: watch.ownCommitCount)
  }

  private func lookout(of watch: CommitWatch) -> CommitLookout {
    switch watch.attention {
    case .listening(let rest) where folders[watch.folder]?.watch != nil: CommitLookout(rest: rest, now: clock.now())
    case .listening, .deaf: CommitLookout(rest: Self.unheardRest, listens: false, now: clock.now())
    case .resting(let rest): CommitLookout(rest: rest, listens: false, now: clock.now())
    }
  }

  private func lookAround() {
    for id in places.keys {
      guard let place = places[id], !place.hasEnded, place.lookout.next <= clock.now() else { continue }
      let ownCommitCount = place.watch.ownCommitCount
      let finding = place.watch.look(place.lookout.isPatient) { body in
        telling(body)
      }
      if let finding {
        places[id]?.lookout.didLook(finding, hasOwn: ownCommitCount != place.ownCommitCount, clock.now())
        places[id]?.ownCommitCount = ownCommitCount
      }
      if finding == nil || finding == .moved { places[id]?.hasEnded = true }
    }
  }

  /// Runs a closure that reports external commits.
  ///
  /// It may wait for a thread that waits in `stop`: nobody waits for it there.
  private func telling(_ body: () -> Void) {
    stopping.setIsTelling(true)
    body()
    stopping.setIsTelling(false)
  }

  // MARK: Folders

  /// Listens to those folders in which somebody wants to hear something.
  private func listen() {
    for (path, folder) in folders {
      let isMuted = places.values.allSatisfy { $0.watch.folder != path || $0.lookout.isMuted || $0.hasEnded }
      guard let watch = folder.watch, isMuted != folder.isMuted else { continue }
      folders[path]?.isMuted = isMuted
      if isMuted {
        events.mute(path)
      } else if events.watch(path) != watch {
        // It is not there any more, or another one is.
        lose(path)
      }
    }
  }

  /// A folder cannot be listened to any more: its databases are looked at more often.
  private func lose(_ path: String) {
    if let watch = folders[path]?.watch { events.forget(watch) }
    folders[path] = Folder(watch: nil)
    for (id, place) in places where place.watch.folder == path && place.watch.listens {
      places[id]?.lookout = lookout(of: place.watch)
    }
  }

  private func readEvents() {
    var lost: [FileEvents.Watch] = []
    events.forEach { event in
      let now = clock.now()
      switch event {
      case .file(let watch, let name):
        for (id, place) in places where folders[place.watch.folder]?.watch == watch && place.watch.names.contains(name)
        {
          places[id]?.lookout.filesDidChange(now)
        }
      case .gone(let watch): lost.append(watch)
      case .everything:
        for id in places.keys { places[id]?.lookout.filesDidChange(now) }
      }
    }
    for watch in lost {
      if let path = folders.first(where: { $0.value.watch == watch })?.key { lose(path) }
    }
  }
}
