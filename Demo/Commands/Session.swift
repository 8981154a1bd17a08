import Foundation
import Tidemark

/// A running dashboard: receives events, performs effects, and draws.
///
/// It is one loop on one thread, which sleeps until a key, a signal, a value or a deadline arrives. Tasks observe the
/// queries, and put their values into the inbox.
final class Session {
  private var dashboard: Dashboard
  private var reader: any DatabaseReader
  private let world: World?

  /// The watched file, and why it cannot be read at the moment.
  private var file: WatchedFile?
  private var outage: String?
  private let interval: Duration
  private let signals: Signals
  private let inbox: Inbox
  private var followers: [Pane.ID: (task: Task<Void, Never>, fetching: FetchClock)] = [:]
  private var rate = Rate()

  private static let endings = [SIGINT, SIGTERM, SIGHUP]

  /// The least intervals between two frames, and between two measurements.
  private static let framePause = Duration.milliseconds(34)
  private static let tickPause = Duration.milliseconds(500)

  /// After this time without a further byte, an ESC is the Escape key.
  private static let escapePause = Duration.milliseconds(40)

  init(_ dashboard: Dashboard, _ reader: any DatabaseReader, world: World? = nil, interval: Duration) throws {
    self.dashboard = dashboard
    self.reader = reader
    self.world = world
    self.interval = interval
    let signals = try Signals(Self.endings)
    self.signals = signals
    inbox = Inbox { signals.wake() }
  }

  /// Creates a session on a file. The session reopens the file when another file replaces it.
  convenience init(_ dashboard: Dashboard, _ file: WatchedFile, interval: Duration) throws {
    try self.init(dashboard, file.pool, interval: interval)
    self.file = file
  }

  deinit { followers.values.forEach { $0.task.cancel() } }

  // MARK: - The loop

  /// Shows the dashboard until the user quits.
  func run() throws {
    let terminal = try Terminal()
    for number in [SIGWINCH, SIGTSTP, SIGCONT] { signals.handle(number) }
    try terminal.enter()
    defer { terminal.leave() }
    begin(size: terminal.size)
    var screen = try Screen(terminal, ProcessInfo.processInfo.environment)
    var decoder = InputDecoder()
    var nextTick = ContinuousClock.now
    // The first frame waits a short time for the reply that determines its colours.
    var nextFrame = ContinuousClock.now + (terminal.isAnswerAwaited ? Background.patience : .zero)
    var isChanged = true
    while true {
      let now = ContinuousClock.now
      if now >= nextTick {
        let before = dashboard
        _ = take(.tick(makeTick(now)))
        checkFile()
        // If nothing has happened, nothing is drawn.
        if dashboard != before { isChanged = true }
        nextTick = now + (isBusy ? Self.tickPause : Self.tickPause * 2)
      }
      if isChanged, now >= nextFrame {
        try screen.draw(dashboard)
        didDraw()
        isChanged = false
        // If drawing is slow, frames are drawn less often.
        nextFrame = .now + max(Self.framePause, (.now - now) * 3)
      }
      var wait = isChanged ? min(nextFrame, nextTick) - .now : nextTick - .now
      if decoder.isWaiting { wait = min(wait, Self.escapePause) }
      terminal.wait(signals, for: wait)
      var events: [Event] = []
      switch terminal.read() {
      case .bytes(let bytes): events += decoder.decode(bytes).map(Event.key)
      case .nothing: events += decoder.endOfBurst().map(Event.key)
      case .closed: return
      }
      for reply in decoder.takeReplies() {
        switch reply {
        case .background(let background): screen.use(background)
        case .attributes: terminal.didReply()
        }
        (isChanged, nextFrame) = (true, .now)
      }
      for number in signals.take() {
        switch number {
        case SIGWINCH: break
        case SIGTSTP: events.append(.key(.control("z")))
        case SIGCONT: try screen.takeAgain()
        default: end(by: number, terminal)
        }
        // The screen may have changed its size in any case.
        if let size = terminal.size { events.append(.resized(Dashboard.Size(width: size.width, height: size.height))) }
      }
      for event in events + inbox.take() {
        isChanged = true
        switch take(event) {
        case .goOn: break
        case .redraw: screen.forget()
        case .suspend: try suspend(terminal, &screen)
        case .quit: return
        }
      }
    }
  }

  /// Starts the effects of the initial state.
  private func begin(size: (width: Int, height: Int)?) {
    if let size { dashboard.size = Dashboard.Size(width: size.width, height: size.height) }
    for pane in dashboard.panes {
      if case .query(let query, let page) = pane.subject { follow(pane.id, query, page) }
    }
    if world != nil { togglePause() }
  }

  /// Gives the terminal to the shell until the job is resumed.
  private func suspend(_ terminal: Terminal, _ screen: inout Screen) throws {
    terminal.leave()
    signal(SIGTSTP, SIG_DFL)
    // Stop the whole process group, which includes a parent such as `make`.
    kill(0, SIGTSTP)
    // The signal may arrive late, and is ignored where no shell could resume the job.
    let numbers = signals.wait(for: SIGCONT, within: .milliseconds(300))
    if let number = numbers.first(where: Self.endings.contains) { end(by: number, terminal) }
    signals.handle(SIGTSTP)
    try screen.takeAgain()
    if let size = terminal.size { _ = take(.resized(Dashboard.Size(width: size.width, height: size.height))) }
  }

  private func end(by number: Int32, _ terminal: Terminal) -> Never {
    terminal.leave()
    world?.close()
    Signals.die(of: number)
  }

  private func didDraw() {
    guard let world, let page = dashboard.panes.first(where: { $0.id == WorldPanes.eventsID })?.page,
      let event = WorldPanes.newestEvent(in: page)
    else { return }
    world.commits.didShow(event: event)
  }

  /// Whether the screen will change soon.
  private var isBusy: Bool {
    let isWritten = world.map { !$0.shown.isPaused } ?? false
    return isWritten || dashboard.panes.contains { $0.slowFetch != nil }
  }

  // MARK: - Effects

  private enum Outcome {
    case goOn, redraw, suspend, quit
  }

  private func take(_ event: Event) -> Outcome {
    var outcome = Outcome.goOn
    for effect in dashboard.handle(event) {
      switch effect {
      case .follow(let id, let query, let page): follow(id, query, page)
      case .stopFollower(let id): stopFollower(id)
      case .check(let sql): check(sql)
      case .togglePause: togglePause()
      case .changeWriterCount(let step): world?.changeWriterCount(by: step, { [inbox] in inbox.post($0) })
      case .burst: world?.burst { [inbox] in inbox.post($0) }
      case .toggleBackground: world?.toggleBackground()
      case .redraw: outcome = .redraw
      case .suspend: outcome = .suspend
      case .quit: outcome = .quit
      }
    }
    if let world { dashboard.world = world.shown }
    return outcome
  }

  private func togglePause() {
    world?.togglePause { [inbox] in inbox.post($0) }
  }

  private func follow(_ id: Pane.ID, _ query: Query, _ page: PageRequest) {
    stopFollower(id)
    if let outage { return inbox.post(.failed(id, outage)) }
    let follower = Follower(query: query, page: page, interval: interval)
    let task = Task { [reader, inbox] in
      await follower.follow(reader) { message in
        // The rows of the previous page are not needed any more.
        if Task.isCancelled { return }
        switch message {
        case .rows(let page): inbox.post(.rows(id, page))
        case .failed(let sentence): inbox.post(.failed(id, sentence))
        }
      }
    }
    followers[id] = (task, follower.fetching)
  }

  private func stopFollower(_ id: Pane.ID) {
    followers.removeValue(forKey: id)?.task.cancel()
    inbox.forget(id)
  }

  /// Observes the queries in the current file.
  private func checkFile() {
    guard let message = file?.checkFile() else { return }
    switch message {
    case .opened(let pool):
      reader = pool
      outage = nil
    case .failed(let sentence): outage = sentence
    }
    for pane in dashboard.panes {
      if case .query(let query, let page) = pane.subject { follow(pane.id, query, page) }
    }
  }

  private func check(_ sql: String) {
    Task { [reader, inbox] in
      let result: Result<Query, QueryFailure>
      do {
        result = .success(try await reader.read { db in try Query(sql, db) })
      } catch {
        result = .failure(QueryFailure(sentence: sentence(for: error)))
      }
      inbox.post(.checked(sql: sql, result))
    }
  }

  private func makeTick(_ now: ContinuousClock.Instant) -> Event.Tick {
    var figures = Figures(reader)
    figures.node = world?.database.nodeState
    if let quantiles = world?.commits.quantiles {
      figures.toScreen = quantiles.toScreen
      figures.writes = quantiles.writes
    }
    return Event.Tick(
      figures: figures, commitRate: world.flatMap { rate.measure($0.commitCount, at: now) },
      world: world?.shown, slowFetches: followers.compactMapValues { $0.fetching.elapsed })
  }

  // MARK: - Without a terminal

  /// Processes events for a while, and returns the screen that would be shown then.
  func runForOneScreen(commitCount: Int, width: Int, height: Int) -> String {
    begin(size: (width, height))
    let end = ContinuousClock.now + .seconds(10)
    var nextTick = ContinuousClock.now
    while ContinuousClock.now < end {
      if ContinuousClock.now >= nextTick {
        _ = take(.tick(makeTick(.now)))
        nextTick += .milliseconds(250)
      }
      for event in inbox.take() { _ = take(event) }
      didDraw()
      let isComplete = dashboard.panes.allSatisfy { pane in
        if case .query = pane.subject { pane.page != nil } else { true }
      }
      if isComplete, world?.commitCount ?? commitCount >= commitCount { break }
      var file = pollfd(fd: signals.reading, events: Int16(POLLIN), revents: 0)
      poll(&file, 1, 100)
      if let number = signals.take().first {
        world?.close()
        Signals.die(of: number)
      }
    }
    return DashboardView(dashboard: dashboard).draw().grid.lines.joined(separator: "\n")
  }
}

/// The terminal, and the screen that it shows.
private struct Screen {
  private let terminal: Terminal
  private let hasColors: Bool
  private var writer: FrameWriter

  init(_ terminal: Terminal, _ environment: [String: String]) throws {
    self.terminal = terminal
    let colors = ColorSupport(environment)
    hasColors = colors != .none
    writer = FrameWriter(colors, Background(environment))
    if hasColors { try terminal.askForBackground() }
  }

  /// Redraws everything in the colours for a background.
  mutating func use(_ background: Background) { writer.use(background) }

  mutating func draw(_ dashboard: Dashboard) throws {
    let (grid, cursor) = DashboardView(dashboard: dashboard).draw()
    let bytes = writer.bytes(for: grid, cursor: cursor)
    if !bytes.isEmpty { try terminal.write(bytes) }
  }

  mutating func forget() { writer.forget() }

  // Another program has used the terminal.
  mutating func takeAgain() throws {
    terminal.leave()
    try terminal.enter()
    writer.forget()
    // The colours of the terminal may have changed meanwhile.
    if hasColors { try terminal.askForBackground() }
  }
}
