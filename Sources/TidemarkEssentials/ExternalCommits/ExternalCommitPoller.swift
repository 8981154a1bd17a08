/// The thread that checks all observed databases of the process for external commits. It exists while there is such a
/// database.
///
/// One thread is enough: a check takes microseconds, and waits for no lock.
final class ExternalCommitPoller: Sendable {
  private struct State {
    var monitors: [ExternalCommitMonitor] = []
    var thread: PollingThread?
    var connections: [CommitDetectionConnection.File: WeakConnection] = [:]
  }

  private struct WeakConnection {
    weak var connection: CommitDetectionConnection?
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

  /// The connection that checks a file for all pools that use it.
  func connection(to file: CommitDetectionConnection.File) -> CommitDetectionConnection {
    if file.identity == nil { return CommitDetectionConnection(file) }
    return state.withLock { state in
      if let connection = state.connections[file]?.connection { return connection }
      // The last release of a connection takes no lock: its last user has closed it.
      state.connections = state.connections.filter { $0.value.connection != nil }
      let connection = CommitDetectionConnection(file)
      state.connections[file] = WeakConnection(connection: connection)
      return connection
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
  private var monitors: [ExternalCommitMonitor] = []
  private var databases: [ExternalCommitMonitor.Group: MonitoredDatabase] = [:]
  private var folders: [String: Folder] = [:]
  private let clock = MonotonicClock.live

  private struct MonitoredDatabase {
    /// One monitor, or the monitors of several pools on the file, which have the same folder and detection mode.
    var monitors: [ExternalCommitMonitor]
    var schedule: ExternalCommitSchedule
    var ownCommitCount: UInt64

    /// There is always one.
    var first: ExternalCommitMonitor { monitors[0] }

    func isTriggered(byFilesIn folder: String) -> Bool { first.usesFileEvents && first.folder == folder }
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
    guard let first = databases.values.lazy.map(\.schedule).min(by: { $0.next < $1.next }) else {
      return (.seconds(60), true)
    }
    return (max(first.next - clock.now(), .zero), !first.isDelayed)
  }

  // MARK: Databases

  mutating func update(_ monitors: [ExternalCommitMonitor]) {
    if monitors.elementsEqual(self.monitors, by: ===) { return }
    self.monitors = monitors
    let known = databases
    databases = [:]
    for (group, members) in Dictionary(grouping: monitors, by: \.group) {
      databases[group] = known[group] ?? database(of: members)
      if databases[group]?.monitors.elementsEqual(members, by: ===) == true { continue }
      databases[group]?.monitors = members
      databases[group]?.ownCommitCount = members[0].ownCommitCount
      // Commits since the first check of a monitor are detected.
      databases[group]?.schedule.checkNow(clock.now())
    }
    for (path, folder) in folders where !monitors.contains(where: { $0.folder == path && $0.usesFileEvents }) {
      if let watch = folder.watch { events.forget(watch) }
      folders[path] = nil
    }
  }

  private mutating func database(of monitors: [ExternalCommitMonitor]) -> MonitoredDatabase {
    let monitor = monitors[0]
    if monitor.usesFileEvents, folders[monitor.folder] == nil {
      folders[monitor.folder] = Folder(watch: events.watch(monitor.folder))
    }
    return MonitoredDatabase(
      monitors: monitors, schedule: schedule(of: monitor), ownCommitCount: monitor.ownCommitCount)
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
    for group in databases.keys {
      guard let database = databases[group], database.schedule.next <= clock.now() else { continue }
      let ownCommitCount = database.first.ownCommitCount
      var findings: [CommitCheckResult] = []
      database.first.beginRound()
      for monitor in database.monitors {
        let finding = monitor.check(database.schedule.waitsForOwnCommit, notifying: notifying)
        if let finding { findings.append(finding) }
        if finding == nil || finding == .fileMoved { databases[group]?.monitors.removeAll { $0 === monitor } }
      }
      if databases[group]?.monitors.isEmpty == true {
        databases[group] = nil
        continue
      }
      let isComplete = !findings.contains(.inconclusive)
      // The own commits of one of several pools are external ones for the others, which need the file events.
      let hasOwn = database.monitors.count == 1 && ownCommitCount != database.ownCommitCount
      databases[group]?.schedule.didCheck(
        findings.contains(.externalCommit) ? .externalCommit : isComplete ? .unchanged : .inconclusive,
        isComplete: isComplete, hasOwn: hasOwn, clock.now())
      databases[group]?.ownCommitCount = ownCommitCount
    }
  }

  // MARK: Folders

  /// Watches the folders of databases that use file events.
  mutating func updateWatchedFolders() {
    for (path, folder) in folders {
      let ignoresFileEvents = databases.values.allSatisfy {
        !$0.isTriggered(byFilesIn: path) || $0.schedule.ignoresFileEvents
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
    for (group, database) in databases where database.isTriggered(byFilesIn: path) {
      let schedule = schedule(of: database.first)
      databases[group]?.schedule = schedule
    }
  }

  mutating func readEvents() {
    var lost: [FileEvents.Watch] = []
    events.forEach { event in
      let now = clock.now()
      switch event {
      case .file(let watch, let name):
        guard let path = folders.first(where: { $0.value.watch == watch })?.key else { return }
        for (group, database) in databases
        where database.isTriggered(byFilesIn: path) && database.first.names.contains(name) {
          databases[group]?.schedule.filesDidChange(now)
        }
      case .gone(let watch): lost.append(watch)
      case .everything:
        for (group, database) in databases where database.first.usesFileEvents {
          databases[group]?.schedule.filesDidChange(now)
        }
      }
    }
    for watch in lost {
      if let path = folders.first(where: { $0.value.watch == watch })?.key { stopWatching(path) }
    }
  }
}
