/// The thread that checks all observed databases of the process for external commits. It exists while there is such a
/// database.
///
/// One thread is enough: a check takes microseconds, and waits for no lock.
final class ExternalCommitPoller: Sendable {
  private struct State {
    var monitors: [ExternalCommitMonitor] = []
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

  func add(_ monitor: ExternalCommitMonitor) {
    state.withLock { state in
      state.monitors.append(monitor)
      if let thread = state.thread { return thread.events.wake() }
      let thread = PollingThread(self, canListen: true)
      state.thread = thread
      thread.start()
    }
  }

  /// Removes a database. After the last one, the thread has ended when this method returns, unless it is the calling
  /// thread.
  func remove(_ monitor: ExternalCommitMonitor) {
    let thread = state.withLock { state -> PollingThread? in
      state.monitors.removeAll { $0 === monitor }
      guard state.monitors.isEmpty, let thread = state.thread else {
        state.thread?.events.wake()
        return nil
      }
      state.thread = nil
      return thread
    }
    thread?.stop()
  }

  /// The monitors for a thread to check; nil if the thread must end.
  fileprivate func monitors(of thread: PollingThread) -> [ExternalCommitMonitor]? {
    state.withLock { $0.thread === thread ? $0.monitors : nil }
  }
}

/// The thread that runs the checks.
private final class PollingThread: Sendable {
  let events: FileEvents
  private let poller: ExternalCommitPoller
  private let stopping = ThreadStop()

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
    var databases = PolledDatabases(events)
    while let monitors = poller.monitors(of: self) {
      databases.update(monitors)
      databases.poll(notifying: notifying)
      databases.updateWatchedFolders()
      let (pause, isInterruptible) = databases.pause
      events.wait(for: pause, isInterruptible: isInterruptible)
      databases.readEvents()
    }
    stopping.end()
  }

  /// Runs a closure that reports external commits.
  ///
  /// The closure may wait for a thread that waits in `stop`, which does not wait for the closure.
  private func notifying(_ body: () -> Void) {
    stopping.setIsNotifying(true)
    body()
    stopping.setIsNotifying(false)
  }
}

/// The databases and folders that the thread polls and watches. Only the thread uses them.
private struct PolledDatabases {
  private let events: FileEvents
  private var databases: [ObjectIdentifier: MonitoredDatabase] = [:]
  private var folders: [String: Folder] = [:]
  private let clock = MonotonicClock.live

  private struct MonitoredDatabase {
    var monitor: ExternalCommitMonitor
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

  init(_ events: FileEvents) {
    self.events = events
  }

  /// The time until the next check, and whether file events may end it.
  var pause: (duration: Duration, isInterruptible: Bool) {
    let schedules = databases.values.lazy.filter { !$0.hasEnded }.map(\.schedule)
    guard let first = schedules.min(by: { $0.next < $1.next }) else { return (.seconds(60), true) }
    return (max(first.next - clock.now(), .zero), !first.isDelayed)
  }

  // MARK: Databases

  mutating func update(_ monitors: [ExternalCommitMonitor]) {
    guard databases.count != monitors.count || monitors.contains(where: { databases[ObjectIdentifier($0)] == nil })
    else { return }
    let known = databases
    databases = [:]
    for monitor in monitors {
      let id = ObjectIdentifier(monitor)
      databases[id] = known[id] ?? database(of: monitor)
    }
    for (path, folder) in folders where !monitors.contains(where: { $0.folder == path && $0.usesFileEvents }) {
      if let watch = folder.watch { events.forget(watch) }
      folders[path] = nil
    }
  }

  private mutating func database(of monitor: ExternalCommitMonitor) -> MonitoredDatabase {
    if monitor.usesFileEvents, folders[monitor.folder] == nil {
      folders[monitor.folder] = Folder(watch: events.watch(monitor.folder))
    }
    return MonitoredDatabase(
      monitor: monitor, schedule: schedule(of: monitor), ownCommitCount: monitor.ownCommitCount)
  }

  private func schedule(of monitor: ExternalCommitMonitor) -> ExternalCommitSchedule {
    switch monitor.detectionMode {
    case .fileEvents(let pollingInterval) where folders[monitor.folder]?.watch != nil:
      ExternalCommitSchedule(pollingInterval: pollingInterval, now: clock.now())
    case .fileEvents, .frequentPolling:
      ExternalCommitSchedule(pollingInterval: Self.frequentPollingInterval, usesFileEvents: false, now: clock.now())
    case .polling(let pollingInterval):
      ExternalCommitSchedule(pollingInterval: pollingInterval, usesFileEvents: false, now: clock.now())
    }
  }

  /// Performs the checks that are due.
  mutating func poll(notifying: (() -> Void) -> Void) {
    for id in databases.keys {
      guard let database = databases[id], !database.hasEnded, database.schedule.next <= clock.now() else { continue }
      let ownCommitCount = database.monitor.ownCommitCount
      let finding = database.monitor.check(database.schedule.waitsForOwnCommit, notifying: notifying)
      if let finding {
        databases[id]?.schedule.didCheck(finding, hasOwn: ownCommitCount != database.ownCommitCount, clock.now())
        databases[id]?.ownCommitCount = ownCommitCount
      }
      if finding == nil || finding == .fileMoved { databases[id]?.hasEnded = true }
    }
  }

  // MARK: Folders

  /// Watches the folders of databases that use file events.
  mutating func updateWatchedFolders() {
    for (path, folder) in folders {
      let ignoresFileEvents = databases.values.allSatisfy {
        $0.monitor.folder != path || $0.schedule.ignoresFileEvents || $0.hasEnded
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
  private mutating func stopWatching(_ path: String) {
    if let watch = folders[path]?.watch { events.forget(watch) }
    folders[path] = Folder(watch: nil)
    for (id, database) in databases where database.monitor.folder == path && database.monitor.usesFileEvents {
      let schedule = schedule(of: database.monitor)
      databases[id]?.schedule = schedule
    }
  }

  mutating func readEvents() {
    var lost: [FileEvents.Watch] = []
    events.forEach { event in
      let now = clock.now()
      switch event {
      case .file(let watch, let name):
        for (id, database) in databases
        where folders[database.monitor.folder]?.watch == watch && database.monitor.names.contains(name) {
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
