import Testing

@testable import Demo

/// Events in, effects out.
@Suite struct DashboardTests {
  private let query = Query(trusted: "SELECT 1")

  private func dashboard(paneCount: Int = 3, rowCount: Int = 5, hasMore: Bool = false, world: Bool = false) -> Dashboard
  {
    let rows = (0..<rowCount).map { [CellValue.integer(Int64($0))] }
    let panes = (1...max(1, paneCount)).map { Pane.sample($0, "Pane \($0)", ["n"], rows, hasMore: hasMore) }
    return .sample(
      paneCount == 0 ? [] : panes, width: 100, height: 30, world: world ? Dashboard.WorldState(writerCount: 4) : nil)
  }

  @Test(
    arguments: [
      (.character("q"), .quit), (.control("c"), .quit), (.control("z"), .suspend), (.control("l"), .redraw),
      (.character("p"), .togglePause), (.character("+"), .changeWriterCount(by: 1)),
      (.character("-"), .changeWriterCount(by: -1)), (.character("b"), .burst), (.character("o"), .toggleBackground),
    ] as [(Key, Effect)])
  func eachKeyHasItsEffect(key: Key, effect: Effect) {
    var dashboard = dashboard(world: true)
    let effects = dashboard.handle(.key(key))
    #expect(effects == [effect])
  }

  @Test(arguments: ["p", "+", "-", "b", "o"] as [Character])
  func worldKeysAreIgnoredWithoutAWorld(key: Character) {
    var dashboard = dashboard()
    let effects = dashboard.handle(.key(.character(key)))
    #expect(effects == [])
  }

  @Test func focusWrapsAround() {
    var dashboard = dashboard()
    var seen: [Int] = []
    for key in [Key.tab, .tab, .tab, .backTab, .character("2"), .character("9")] {
      _ = dashboard.handle(.key(key))
      seen.append(dashboard.focus)
    }
    #expect(seen == [1, 2, 0, 2, 1, 1])
  }

  @Test func keysWithoutPanesAreIgnored() {
    var dashboard = dashboard(paneCount: 0)
    for key in [Key.tab, .backTab, .down, .character("x"), .character("v"), .character("z"), .character("1"), .end] {
      let effects = dashboard.handle(.key(key))
      #expect(effects == [])
    }
    #expect(dashboard.lines.contains { $0.contains("No pane is open") })
  }

  @Test func scrollingStaysInsideTheResult() {
    var dashboard = dashboard(paneCount: 1, rowCount: 100)
    var rows: [Int] = []
    for key in [Key.up, .down, .pageDown, .end, .down, .pageUp, .home] {
      _ = dashboard.handle(.key(key))
      rows.append(dashboard.panes[0].row)
    }
    let height = Layout(dashboard).rowCount(of: 1)
    #expect(rows == [0, 1, 1 + height, 100 - height, 100 - height, 100 - 2 * height, 0])
  }

  @Test func missingRowsAreRequested() {
    var dashboard = dashboard(paneCount: 1, rowCount: 200, hasMore: true)
    let effects = dashboard.handle(.key(.end))
    let wanted = PageRequest(offset: 100)
    #expect(effects == [.follow(1, Query(trusted: "SELECT 1"), wanted)])
    let again = dashboard.handle(.resized(.init(width: 90, height: 25)))
    #expect(again == [])
    let page = ResultPage(columns: ["n"], rows: (100..<300).map { [.integer($0)] }, offset: 100, hasMore: true)
    let more = dashboard.handle(.rows(1, page.measured()))
    #expect(more == [])
    #expect(dashboard.lines.contains { $0.contains("200") })
    let back = dashboard.handle(.key(.home))
    #expect(back == [.follow(1, Query(trusted: "SELECT 1"), PageRequest(offset: 0))])
  }

  @Test func shrinkingResultsScrollBack() {
    var dashboard = dashboard(paneCount: 1, rowCount: 100)
    _ = dashboard.handle(.key(.end))
    _ = dashboard.handle(.rows(1, ResultPage(columns: ["n"], rows: [[.integer(1)]]).measured()))
    #expect(dashboard.panes[0].row == 0)
  }

  @Test func aTypedQueryOpensAPane() {
    var dashboard = dashboard()
    _ = dashboard.handle(.key(.character(":")))
    for character in "SELECT 1" { _ = dashboard.handle(.key(.character(character))) }
    let effects = dashboard.handle(.key(.enter))
    #expect(effects == [.check(sql: "SELECT 1")])
    let opened = dashboard.handle(.checked(sql: "SELECT 1", .success(query)))
    #expect(opened == [.follow(4, query, PageRequest())])
    #expect(dashboard.focusedPane?.title == "SELECT 1")
    #expect(dashboard.mode == .panes)
    let closed = dashboard.handle(.key(.character("x")))
    #expect(closed == [.stopFollower(4)])
    #expect(dashboard.panes.count == 3)
  }

  @Test func queryErrorsAreShownUntilTheQueryIsEdited() {
    var dashboard = dashboard()
    for key in [Key.character(":"), .paste("SELEC"), .enter] { _ = dashboard.handle(.key(key)) }
    let effects = dashboard.handle(
      .checked(sql: "SELEC", .failure(QueryFailure(sentence: "near \"SELEC\": syntax error"))))
    #expect(effects == [])
    #expect(dashboard.lines[28] == " ⚠ near \"SELEC\": syntax error")
    #expect(dashboard.lines[29] == "› SELEC")
    _ = dashboard.handle(.key(.character("T")))
    #expect(!dashboard.lines[28].contains("syntax error"))
  }

  @Test func resultsOfEditedQueriesAreIgnored() {
    var dashboard = dashboard()
    for key in [Key.character(":"), .paste("SELECT 1"), .enter, .character("0")] { _ = dashboard.handle(.key(key)) }
    let effects = dashboard.handle(.checked(sql: "SELECT 1", .success(query)))
    #expect(effects == [])
    #expect(dashboard.panes.count == 3)
    for key in [Key.enter, .escape] { _ = dashboard.handle(.key(key)) }
    let late = dashboard.handle(.checked(sql: "SELECT 10", .success(query)))
    #expect(late == [])
    #expect(dashboard.panes.count == 3)
  }

  @Test func promptKeysAreText() {
    var dashboard = dashboard(world: true)
    for key in [Key.character(":"), .character("q"), .character("p"), .character("?")] {
      let effects = dashboard.handle(.key(key))
      #expect(effects == [])
    }
    #expect(dashboard.prompt.editor.text == "qp?")
  }

  @Test func builtInPanesCannotBeClosed() {
    var dashboard = dashboard()
    let effects = dashboard.handle(.key(.character("x")))
    #expect(effects == [])
    #expect(dashboard.panes.count == 3)
    #expect(dashboard.notice != nil)
  }

  @Test func eventsOfClosedPanesAreIgnored() {
    var dashboard = dashboard()
    let before = dashboard
    let effects = dashboard.handle(.failed(99, "too late"))
    #expect(effects == [])
    #expect(dashboard == before)
  }

  @Test func failuresDisappearWithTheNextRows() {
    var dashboard = dashboard(paneCount: 1)
    _ = dashboard.handle(.failed(1, "no such table: t"))
    #expect(dashboard.lines.contains { $0.contains("⚠ no such table: t") })
    _ = dashboard.handle(.rows(1, ResultPage(columns: ["n"], rows: [[.integer(1)]]).measured()))
    #expect(!dashboard.lines.contains { $0.contains("⚠") })
  }

  @Test func noticesExpire() {
    var dashboard = dashboard()
    _ = dashboard.handle(.noticed("10,000 orders", isFailure: false))
    #expect(dashboard.lines.last == " 10,000 orders")
    for _ in 0..<10 {
      _ = dashboard.handle(.tick(Event.Tick(figures: Figures(), commitRate: nil, world: nil, slowFetches: [:])))
    }
    #expect(dashboard.lines.last?.contains("quit") == true)
  }

  @Test func anyKeySequenceLeavesADrawableDashboard() {
    var random = SystemRandomNumberGenerator()
    let keys: [Key] = [
      .tab, .backTab, .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .character("x"),
      .character(":"), .character("?"), .character("v"), .character("z"), .character("3"), .paste("SELECT 1"),
    ]
    for _ in 0..<10 {
      var dashboard = dashboard(paneCount: Int.random(in: 0...4, using: &random), rowCount: 40, hasMore: true)
      for _ in 0..<40 {
        let key = keys.randomElement(using: &random) ?? .tab
        for effect in dashboard.handle(.key(key)) {
          if case .check(let sql) = effect { _ = dashboard.handle(.checked(sql: sql, .success(query))) }
        }
        let size = Dashboard.Size(
          width: Int.random(in: 0...80, using: &random), height: Int.random(in: 0...24, using: &random))
        _ = dashboard.handle(.resized(size))
        #expect(dashboard.lines.count == size.height)
      }
    }
  }
}
