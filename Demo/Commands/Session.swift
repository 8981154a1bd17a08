import Foundation
import Tidemark

/// A dashboard at work: takes what happens, has done what is to be done, and draws.
///
/// It is one loop on one thread, which sleeps until a key, a signal, a value or a time comes. Queries are followed by
/// tasks, which leave what comes in the inbox.
final class Session {
  private var dashboard: Dashboard
  private var pool: DatabasePool
  private let world: World?

  /// The file that is watched, and why it cannot be read just now.
  private var file: WatchedFile?
  private var outage: String?
  private let interval: Duration
  private let signals: Signals
  private let inbox: Inbox
  private var followers: [Pane.ID: (task: Task<Void, Never>, fetching: FetchClock)] = [:]
  private var rate = Rate()

  private static let endings = [SIGINT, SIGTERM, SIGHUP]

  /// At most so often a frame is drawn, and so often figures are taken.
  private static let framePause = Duration.milliseconds(34)
  private static let tickPause = Duration.milliseconds(500)

  /// An ESC that nothing follows for so long is the key.
  private static let escapePause = Duration.milliseconds(40)

  init(_ dashboard: Dashboard, _ pool: DatabasePool, world: World? = nil, interval: Duration) throws {
    self.dashboard = dashboard
    self.pool = pool
    self.world = world
    self.interval = interval
    let signals = try Signals(Self.endings)
    self.signals = signals
    inbox = Inbox { signals.wake() }
  }

  /// A session on a file, which is opened again when another one takes its place.
  convenience init(_ dashboard: Dashboard, _ file: WatchedFile, interval: Duration) throws {
    try self.init(dashboard, file.pool, interval: interval)
    self.file = file
  }

  deinit { followers.values.forEach { $0.task.cancel() } }

  // MARK: - The loop

  /// Shows the dashboard until somebody quits.
  func run() throws {
    let terminal = try Terminal()
    for number in [SIGWINCH, SIGTSTP, SIGCONT] { signals.handle(number) }
    try terminal.enter()
    defer { terminal.leave() }
    begin(size: terminal.size)
    var screen = try Screen(terminal, ProcessInfo.processInfo.environment)
    var decoder = InputDecoder()
    var nextTick = ContinuousClock.now
    // The first frame waits for the answer that says in which colours it is drawn, but not for long.
    var nextFrame = ContinuousClock.now + (terminal.isAnswerAwaited ? Background.patience : .zero)
    var isChanged = true
    while true {
      let now = ContinuousClock.now
      if now >= nextTick {
        let before = dashboard
        _ = take(.tick(makeTick(now)))
        lookAtFile()
        // Where nothing happens, nothing is drawn.
        if dashboard != before { isChanged = true }
        nextTick = now + (isBusy ? Self.tickPause : Self.tickPause * 2)
      }
      if isChanged, now >= nextFrame {
        try screen.draw(dashboard)
        didDraw()
        isChanged = false
        // Where drawing takes long, less is drawn.
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
      for answer in decoder.takeAnswers() {
        switch answer {
        case .background(let background): screen.use(background)
        case .attributes: terminal.didAnswer()
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
        // Whatever happened, the screen may have another size now.
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

  /// Starts what is to be seen from the beginning.
  private func begin(size: (width: Int, height: Int)?) {
    if let size { dashboard.size = Dashboard.Size(width: size.width, height: size.height) }
    for pane in dashboard.panes {
      if case .query(let query, let page) = pane.subject { follow(pane.id, query, page) }
    }
    if world != nil { togglePause() }
  }

  /// Lets the shell have the terminal, until somebody wants us back.
  private func suspend(_ terminal: Terminal, _ screen: inout Screen) throws {
    terminal.leave()
    signal(SIGTSTP, SIG_DFL)
    // The whole job stops: `make`, say, that has started us.
    kill(0, SIGTSTP)
    // The signal may take a moment, and where nobody could wake us it does nothing.
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

  /// Whether something goes on that is to be seen soon.
  private var isBusy: Bool {
    let isWritten = world.map { !$0.shown.isPaused } ?? false
    return isWritten || dashboard.panes.contains { $0.slowFetch != nil }
  }

  // MARK: - What is done

  private enum Outcome {
    case goOn, redraw, suspend, quit
  }

  private func take(_ event: Event) -> Outcome {
    var outcome = Outcome.goOn
    for effect in dashboard.handle(event) {
      switch effect {
      case .follow(let id, let query, let page): follow(id, query, page)
      case .stopFollowing(let id): stopFollowing(id)
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
    stopFollowing(id)
    if let outage { return inbox.post(.failed(id, outage)) }
    let follower = Follower(query: query, page: page, interval: interval)
    let task = Task { [pool, inbox] in
      await follower.follow(pool) { news in
        // Nobody waits for the rows of another page any more.
        if Task.isCancelled { return }
        switch news {
        case .rows(let page): inbox.post(.rows(id, page))
        case .failed(let sentence): inbox.post(.failed(id, sentence))
        }
      }
    }
    followers[id] = (task, follower.fetching)
  }

  private func stopFollowing(_ id: Pane.ID) {
    followers.removeValue(forKey: id)?.task.cancel()
    inbox.forget(id)
  }

  /// Follows the queries in the file that is there now.
  private func lookAtFile() {
    guard let news = file?.look() else { return }
    switch news {
    case .opened(let pool):
      self.pool = pool
      outage = nil
    case .failed(let sentence): outage = sentence
    }
    for pane in dashboard.panes {
      if case .query(let query, let page) = pane.subject { follow(pane.id, query, page) }
    }
  }

  private func check(_ sql: String) {
    Task { [pool, inbox] in
      let result: Result<Query, QueryFailure>
      do {
        result = .success(try await pool.read { db in try Query(sql, db) })
      } catch {
        result = .failure(QueryFailure(sentence: sentence(for: error)))
      }
      inbox.post(.checked(sql: sql, result))
    }
  }

  private func makeTick(_ now: ContinuousClock.Instant) -> Event.Tick {
    var figures = Figures(pool)
    if let quantiles = world?.commits.quantiles {
      figures.toScreen = quantiles.toScreen
      figures.writes = quantiles.writes
    }
    return Event.Tick(
      figures: figures, commitRate: world.flatMap { rate.measure($0.commitCount, at: now) },
      world: world?.shown, slowFetches: followers.compactMapValues { $0.fetching.elapsed })
  }

  // MARK: - Without a terminal

  /// Lets things happen for a while, and answers what the screen would show then.
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

/// The screen of a terminal, and what it shows.
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

  /// Has all drawn in the colours for a background.
  mutating func use(_ background: Background) { writer.use(background) }

  mutating func draw(_ dashboard: Dashboard) throws {
    let (grid, cursor) = DashboardView(dashboard: dashboard).draw()
    let bytes = writer.bytes(for: grid, cursor: cursor)
    if !bytes.isEmpty { try terminal.write(bytes) }
  }

  mutating func forget() { writer.forget() }

  /// Somebody else had the terminal.
  mutating func takeAgain() throws {
    terminal.leave()
    try terminal.enter()
    writer.forget()
    // Meanwhile the terminal may have been given other colours.
    if hasColors { try terminal.askForBackground() }
  }
}
