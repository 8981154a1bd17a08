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
  private var databases: [MonitoredDatabase] = []
  private var folders: [Folder] = []
  private let clock = MonotonicClock.live

  private struct Folder {
    let path: String

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
    guard let first = databases.lazy.map(\.schedule).min(by: { $0.next < $1.next }) else { return (.seconds(60), true) }
    return (max(first.next - clock.now(), .zero), !first.isDelayed)
  }

  // MARK: Databases

  mutating func update(_ monitors: [ExternalCommitMonitor]) {
    if monitors.elementsEqual(self.monitors, by: ===) { return }
    self.monitors = monitors
    let known = Dictionary(databases.map { ($0.group, $0) }) { first, _ in first }
    databases = Dictionary(grouping: monitors, by: \.group).map { group, members in
      var database = known[group] ?? database(of: members)
      // Commits since the first check of a monitor are detected.
      if !database.monitors.elementsEqual(members, by: ===) { database.replaceMonitors(members, clock.now()) }
      return database
    }
    folders.removeAll { folder in
      if monitors.contains(where: { $0.usesFileEvents && $0.folder == folder.path }) { return false }
      if let watch = folder.watch { events.forget(watch) }
      return true
    }
  }

  private mutating func database(of monitors: [ExternalCommitMonitor]) -> MonitoredDatabase {
    let folder = monitors[0].folder
    if monitors[0].usesFileEvents, !folders.contains(where: { $0.path == folder }) {
      folders.append(Folder(path: folder, watch: events.watch(folder)))
    }
    return MonitoredDatabase(monitors, schedule(of: monitors[0]))
  }

  private func schedule(of monitor: ExternalCommitMonitor) -> ExternalCommitSchedule {
    switch monitor.detectionMode {
    case .fileEvents(let pollingInterval) where folders.contains { $0.path == monitor.folder && $0.watch != nil }:
      ExternalCommitSchedule(pollingInterval: pollingInterval, now: clock.now())
    case .fileEvents, .frequentPolling:
      ExternalCommitSchedule(pollingInterval: Self.frequentPollingInterval, usesFileEvents: false, now: clock.now())
    case .polling(let pollingInterval):
      ExternalCommitSchedule(pollingInterval: pollingInterval, usesFileEvents: false, now: clock.now())
    }
  }

  /// Performs the checks that are due.
  mutating func poll(notifying: (() -> Void) -> Void) {
    for index in databases.indices where databases[index].schedule.next <= clock.now() {
      databases[index].check(clock, notifying)
    }
    databases.removeAll(where: \.monitors.isEmpty)
  }

  // MARK: Folders

  /// Watches the folders of databases that use file events.
  mutating func updateWatchedFolders() {
    for index in folders.indices {
      let folder = folders[index]
      let ignoresFileEvents = databases.allSatisfy {
        !$0.isTriggered(byFilesIn: folder.path) || $0.schedule.ignoresFileEvents
      }
      guard let watch = folder.watch, ignoresFileEvents != folder.ignoresFileEvents else { continue }
      folders[index].ignoresFileEvents = ignoresFileEvents
      if ignoresFileEvents {
        events.ignoreFiles(folder.path)
      } else if events.watch(folder.path) != watch {
        // The folder was removed or replaced.
        stopWatching(index)
      }
    }
  }

  /// Stops watching a folder. Its databases are checked more often.
  private mutating func stopWatching(_ index: Int) {
    let path = folders[index].path
    if let watch = folders[index].watch { events.forget(watch) }
    folders[index] = Folder(path: path, watch: nil)
    for index in databases.indices where databases[index].isTriggered(byFilesIn: path) {
      databases[index].schedule = schedule(of: databases[index].first)
    }
  }

  mutating func readEvents() {
    var lost: [FileEvents.Watch] = []
    events.forEach { event in
      let now = clock.now()
      switch event {
      case .file(let watch, let name):
        guard let path = folders.first(where: { $0.watch == watch })?.path else { return }
        for index in databases.indices
        where databases[index].isTriggered(byFilesIn: path) && databases[index].first.names.contains(name) {
          databases[index].schedule.filesDidChange(now)
        }
      case .gone(let watch): lost.append(watch)
      case .everything:
        for index in databases.indices where databases[index].first.usesFileEvents {
          databases[index].schedule.filesDidChange(now)
        }
      }
    }
    for watch in lost {
      if let index = folders.firstIndex(where: { $0.watch == watch }) { stopWatching(index) }
    }
  }
}

/// A database that the thread checks.
private struct MonitoredDatabase {
  /// One monitor, or the monitors of several pools on the file, which have the same folder and detection mode.
  private(set) var monitors: [ExternalCommitMonitor]
  var schedule: ExternalCommitSchedule
  private var ownCommitCount: UInt64

  init(_ monitors: [ExternalCommitMonitor], _ schedule: ExternalCommitSchedule) {
    self.monitors = monitors
    self.schedule = schedule
    ownCommitCount = monitors[0].ownCommitCount
  }

  /// There is always one between two checks.
  var first: ExternalCommitMonitor { monitors[0] }
  var group: ExternalCommitMonitor.Group { first.group }

  func isTriggered(byFilesIn folder: String) -> Bool { first.usesFileEvents && first.folder == folder }

  mutating func replaceMonitors(_ new: [ExternalCommitMonitor], _ now: Duration) {
    monitors = new
    ownCommitCount = first.ownCommitCount
    schedule.checkNow(now)
  }

  /// Performs a check. Monitors that have ended are removed.
  mutating func check(_ clock: MonotonicClock, _ notifying: (() -> Void) -> Void) {
    let count = first.ownCommitCount
    // The own commits of one of several pools are external ones for the others, which need the file events.
    let hasOwn = monitors.count == 1 && count != ownCommitCount
    let waitsForOwnCommit = schedule.waitsForOwnCommit
    var (isFound, isComplete) = (false, true)
    first.beginRound()
    monitors.removeAll { monitor in
      switch monitor.check(waitsForOwnCommit, notifying: notifying) {
      case .externalCommit: isFound = true
      case .inconclusive: isComplete = false
      case .unchanged: break
      case .fileMoved, nil: return true
      }
      return false
    }
    ownCommitCount = count
    schedule.didCheck(
      isFound ? .externalCommit : isComplete ? .unchanged : .inconclusive, isComplete: isComplete, hasOwn: hasOwn,
      clock.now())
  }
}
