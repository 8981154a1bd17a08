/// The thread that checks all observed databases of the process for external commits. It exists while there is such a
/// database.
///
/// One thread is enough: a check takes microseconds, and waits for no lock.
final class ExternalCommitPoller: Sendable {
  private struct State {
    var watches: [ExternalCommitMonitor] = []
    var thread: PollingThread?
  }

  private let state = Mutex(State(), rank: .externalCommitPoller)
  private let stamp = ProcessStamp()

  private static let current = Mutex(ExternalCommitPoller(), rank: .externalCommitPollerInstance)

  /// The poller of this process. A child created by `fork` has its own one.
  static var shared: ExternalCommitPoller {
    current.withLock { current in
      if !current.stamp.isOfThisProcess { current = ExternalCommitPoller() }
      return current
    }
  }

  func add(_ watch: ExternalCommitMonitor) {
    state.withLock { state in
      state.watches.append(watch)
      if let thread = state.thread { return thread.events.wake() }
      let thread = PollingThread(self, canListen: true)
      state.thread = thread
      thread.start()
    }
  }

  /// Removes a database. After the last one, the thread has ended when this method returns, unless it is the calling
  /// thread.
  func remove(_ watch: ExternalCommitMonitor) {
    let thread = state.withLock { state -> PollingThread? in
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

  /// The monitors for a thread to check; nil if the thread must end.
  fileprivate func watches(of thread: PollingThread) -> [ExternalCommitMonitor]? {
    state.withLock { $0.thread === thread ? $0.watches : nil }
  }
}

/// The thread that runs the checks.
private final class PollingThread: @unchecked Sendable {
  let events: FileEvents
  private let poller: ExternalCommitPoller
  private let stopping = ThreadStop()

  // Used by the thread only.
  private var databases: [ObjectIdentifier: MonitoredDatabase] = [:]
  private var folders: [String: Folder] = [:]
  private let clock = MonotonicClock.live

  private struct MonitoredDatabase {
    var watch: ExternalCommitMonitor
    var schedule: ExternalCommitSchedule
    var ownCommitCount: UInt64
    var hasEnded = false
  }

  private struct Folder {
    /// Nil if the folder cannot be watched.
    var watch: FileEvents.Watch?
    var ignoresFileEvents = false
  }

  /// The interval of checks without file events.
  private static let frequentPollingInterval = Duration.milliseconds(25)

  init(_ poller: ExternalCommitPoller, canListen: Bool) {
    self.poller = poller
    events = FileEvents(canWatch: canListen)
  }

  func start() {
    SystemThread.run(name: "Tidemark.poller", stackSize: 1 << 20) { self.run() }
  }

  /// Ends the thread, and waits for it.
  func stop() {
    events.wake()
    stopping.wait()
  }

  private func run() {
    FileEvents.enablePreciseSleep()
    while let watches = poller.watches(of: self) {
      update(watches)
      pollDatabases()
      updateWatchedFolders()
      let next = databases.values.lazy.filter { !$0.hasEnded }.map(\.schedule.next).min()
      events.wait(for: max((next ?? .seconds(60)) - clock.now(), .zero))
      readEvents()
    }
    stopping.end()
  }

  // MARK: Databases

  private func update(_ watches: [ExternalCommitMonitor]) {
    guard databases.count != watches.count || watches.contains(where: { databases[ObjectIdentifier($0)] == nil }) else {
      return
    }
    let known = databases
    databases = [:]
    for watch in watches {
      let id = ObjectIdentifier(watch)
      databases[id] = known[id] ?? database(of: watch)
    }
    for (path, folder) in folders where !watches.contains(where: { $0.folder == path && $0.usesFileEvents }) {
      if let watch = folder.watch { events.forget(watch) }
      folders[path] = nil
    }
  }

  private func database(of watch: ExternalCommitMonitor) -> MonitoredDatabase {
    if watch.usesFileEvents, folders[watch.folder] == nil {
      folders[watch.folder] = Folder(watch: events.watch(watch.folder))
    }
    return MonitoredDatabase(watch: watch, schedule: schedule(of: watch), ownCommitCount: watch.ownCommitCount)
  }

  private func schedule(of watch: ExternalCommitMonitor) -> ExternalCommitSchedule {
    switch watch.detectionMode {
    case .fileEvents(let pollingInterval) where folders[watch.folder]?.watch != nil:
      ExternalCommitSchedule(pollingInterval: pollingInterval, now: clock.now())
    case .fileEvents, .frequentPolling:
      ExternalCommitSchedule(pollingInterval: Self.frequentPollingInterval, usesFileEvents: false, now: clock.now())
    case .polling(let pollingInterval):
      ExternalCommitSchedule(pollingInterval: pollingInterval, usesFileEvents: false, now: clock.now())
    }
  }

  private func pollDatabases() {
    for id in databases.keys {
      guard let database = databases[id], !database.hasEnded, database.schedule.next <= clock.now() else { continue }
      let ownCommitCount = database.watch.ownCommitCount
      let finding = database.watch.check(database.schedule.waitsForOwnCommit) { body in
        notifying(body)
      }
      if let finding {
        databases[id]?.schedule.didCheck(finding, hasOwn: ownCommitCount != database.ownCommitCount, clock.now())
        databases[id]?.ownCommitCount = ownCommitCount
      }
      if finding == nil || finding == .fileMoved { databases[id]?.hasEnded = true }
    }
  }

  /// Runs a closure that reports external commits.
  ///
  /// The closure may wait for a thread that waits in `stop`, which does not wait for the closure.
  private func notifying(_ body: () -> Void) {
    stopping.setIsNotifying(true)
    body()
    stopping.setIsNotifying(false)
  }

  // MARK: Folders

  /// Watches the folders of databases that use file events.
  private func updateWatchedFolders() {
    for (path, folder) in folders {
      let ignoresFileEvents = databases.values.allSatisfy {
        $0.watch.folder != path || $0.schedule.ignoresFileEvents || $0.hasEnded
      }
      guard let watch = folder.watch, ignoresFileEvents != folder.ignoresFileEvents else { continue }
      folders[path]?.ignoresFileEvents = ignoresFileEvents
      if ignoresFileEvents {
        events.ignoreFiles(path)
      } else if events.watch(path) != watch {
        // The folder was removed or replaced.
        stopWatching(path)
      }
    }
  }

  /// Stops watching a folder. Its databases are checked more often.
  private func stopWatching(_ path: String) {
    if let watch = folders[path]?.watch { events.forget(watch) }
    folders[path] = Folder(watch: nil)
    for (id, database) in databases where database.watch.folder == path && database.watch.usesFileEvents {
      databases[id]?.schedule = schedule(of: database.watch)
    }
  }

  private func readEvents() {
    var lost: [FileEvents.Watch] = []
    events.forEach { event in
      let now = clock.now()
      switch event {
      case .file(let watch, let name):
        for (id, database) in databases
        where folders[database.watch.folder]?.watch == watch && database.watch.names.contains(name) {
          databases[id]?.schedule.filesDidChange(now)
        }
      case .gone(let watch): lost.append(watch)
      case .everything:
        for id in databases.keys { databases[id]?.schedule.filesDidChange(now) }
      }
    }
    for watch in lost {
      if let path = folders.first(where: { $0.value.watch == watch })?.key { stopWatching(path) }
    }
  }
}
