import Testing

@testable import Demo

/// State in, text out.
@Suite struct DashboardViewTests {
  private let books = Pane.sample(
    1, "Books", ["title", "pages", "price €"],
    [
      [.text("Solaris"), .integer(204), .real(9.5)], [.text("火の鳥"), .integer(1204), .null],
      [.text("a\u{1B}[2Jb"), .null, .real(12)],
    ])

  private let totals = Pane.sample(
    2, "Totals", ["kind", "total"], [[.text("novel"), .integer(4000)], [.text("atlas"), .integer(1000)]])

  @Test func tableColumnsAreAligned() {
    #expect(
      Dashboard.sample([books], width: 40, height: 10).lines == [
        " Sample                       0 fetches",
        "╭─ ▸ Books ────────────────────────────╮",
        "│title    pages  price €               │",
        "│Solaris    204     9.50               │",
        "│火の鳥   1,204     NULL               │",
        "│a␛[2Jb    NULL    12.00               │",
        "│                                      │",
        "│                                      │",
        "╰──────────────────────────────────────╯",
        " q quit  ? help  : query  Tab pane",
      ])
  }

  @Test func barLengthsAreProportional() {
    var bars = totals
    bars.style = .bars
    #expect(
      Dashboard.sample([bars], width: 30, height: 10).lines[2...3] == [
        "│novel ████████████████ 4,000│",
        "│atlas ████············ 1,000│",
      ])
  }

  @Test(arguments: [(0.0, ""), (1, "████"), (0.5, "██"), (0.53, "██▏"), (2, "████"), (.nan, "")])
  func barsAreDrawnInEighths(part: Double, bar: String) {
    #expect(BarsView.bar(part, width: 4) == bar)
  }

  @Test func twoPanesAreSideBySideOnWideScreens() {
    let lines = Dashboard.sample([books, totals], width: 80, height: 9).lines
    #expect(lines[1] == "╭─ ▸ Books ────────────────────────────╮╭─ Totals ─────────────────────────────╮")
    #expect(lines[2] == "│title    pages  price €               ││kind   total                          │")
  }

  @Test func panesAreStackedOnNarrowScreens() {
    let lines = Dashboard.sample([books, totals], width: 40, height: 14).lines
    #expect(lines.filter { $0.hasPrefix("╭─") }.count == 2)
  }

  @Test func aTinyTerminalShowsOnePane() {
    var dashboard = Dashboard.sample([books, totals], width: 20, height: 5)
    #expect(
      dashboard.lines == [
        " ▸ Books",
        "title    pages  pri…",
        "Solaris    204  9.50",
        "火の鳥   1,204  NULL",
        " q quit  ? help",
      ])
    _ = dashboard.handle(.key(.tab))
    #expect(dashboard.lines[0] == " ▸ Totals")
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 2), (5, 1), (1, 5), (19, 4), (23, 7), (37, 9), (300, 100)])
  func everySizeCanBeDrawn(width: Int, height: Int) {
    for mode in [Dashboard.Mode.panes, .prompt, .help(firstLine: 0), .help(firstLine: 9)] {
      var dashboard = Dashboard.sample([books, totals], width: width, height: height, world: .init())
      dashboard.mode = mode
      let grid = DashboardView(dashboard: dashboard).draw().grid
      #expect(grid.width == width && grid.height == height)
    }
  }

  @Test func theFocusedPaneIsShownIfOthersDoNotFit() {
    let panes = (1...9).map { Pane.sample($0, "Pane \($0)", ["n"], []) }
    var dashboard = Dashboard.sample(panes, width: 80, height: 16)
    dashboard.focus = 7
    let text = dashboard.lines.joined()
    #expect(text.contains("▸ Pane 8"))
    #expect(text.contains("Pane 5") && !text.contains("Pane 4"))
  }

  @Test func anyOfAThousandColumnsCanBeShown() {
    let columns = (1...1000).map { "column\($0)" }
    let wide = Pane.sample(1, "Wide", columns, [columns.indices.map { .integer(Int64($0)) }])
    var dashboard = Dashboard.sample([wide], width: 60, height: 8)
    #expect(dashboard.lines.contains { $0.contains("columns 1–7 of 1,000") })
    for _ in 0..<500 { _ = dashboard.handle(.key(.right)) }
    #expect(dashboard.lines.contains { $0.contains("columns 501–") })
    #expect(dashboard.lines.contains { $0.contains("column501") })
  }

  @Test func longTextIsLimitedToTheRemainingWidth() {
    let long = String(repeating: "long ", count: 40)
    let pane = Pane.sample(1, "Long", ["a", "text", "b"], [[.integer(1), .text(long), .integer(2)]])
    let narrow = Dashboard.sample([pane], width: 60, height: 9).lines[3]
    #expect(narrow.contains("…") && narrow.contains("  2"))
    let wide = Dashboard.sample([pane], width: 120, height: 9).lines[3]
    #expect(wide.contains("  2"))
    #expect(wide.filter { $0 == "g" }.count > narrow.filter { $0 == "g" }.count)
  }

  @Test func longErrorsWrapBetweenWords() {
    var pane = books
    pane.failure = "no such table: a_table_with_a_long_name in a database that does not exist"
    let lines = Dashboard.sample([pane], width: 40, height: 9).lines
    #expect(lines[2] == "│⚠ no such table:                      │")
    #expect(lines[3] == "│a_table_with_a_long_name in a         │")
  }

  @Test func slowQueriesAreMarked() {
    var pane = books
    pane.slowFetch = .seconds(12)
    #expect(Dashboard.sample([pane], width: 60, height: 9).lines[1].contains("▸ Books running for 12 s"))
    pane.slowFetch = .milliseconds(100)
    #expect(!Dashboard.sample([pane], width: 60, height: 9).lines[1].contains("running"))
  }

  @Test func pendingAndEmptyResultsAreLabelled() {
    var waiting = books
    waiting.page = nil
    let empty = Pane.sample(2, "Empty", ["a"], [])
    let lines = Dashboard.sample([waiting, empty], width: 80, height: 9).lines.joined(separator: "\n")
    #expect(lines.contains("fetching…"))
    #expect(lines.contains("no rows"))
  }

  @Test func engineViewShowsItsFigures() {
    var figures = Figures()
    (figures.commitCount, figures.wakeCount, figures.observationCount) = (1000, 2500, 10_004)
    (figures.queryCount, figures.fetchCount, figures.sharedFetchCount) = (2504, 7000, 900)
    (figures.busyReaderCount, figures.readerCountMax, figures.logSize) = (2, 5, 4_718_592)
    figures.toValue = Quantiles(p50: 0.001, p99: 0.004)
    var dashboard = Dashboard.sample([Pane(id: 1, title: "Engine", subject: .engine)], width: 44, height: 16)
    dashboard.figures = figures
    let text = dashboard.lines.joined(separator: "\n")
    for figure in [
      "│commits                              1,000│",
      "│observations                        10,004│",
      "│queries woken by a commit     2.5 of 2,504│",
      "│fetches / shared               7,000 / 900│",
      "│commit → value, p50 / p99   1.00 / 4.00 ms│",
      "│readers busy / WAL       2 of 5 / 4.50 MiB│",
    ] { #expect(text.contains(figure), "\(text)") }
  }

  @Test func rateViewShowsColumns() {
    #expect(RateView.column(1, height: 2) == ["█", "█"])
    #expect(RateView.column(0.5, height: 2) == [" ", "█"])
    #expect(RateView.column(0.25, height: 2) == [" ", "▄"])
    #expect(RateView.column(0.001, height: 2) == [" ", "▁"])
    #expect(RateView.column(0, height: 2) == [" ", " "])
  }

  @Test func helpListsAllKeys() {
    var dashboard = Dashboard.sample([books], width: 80, height: 30, world: .init())
    _ = dashboard.handle(.key(.character("?")))
    let text = dashboard.lines.joined(separator: "\n")
    for (_, meaning) in HelpText.lines(hasWorld: true) { #expect(text.contains(meaning)) }
    _ = dashboard.handle(.key(.escape))
    #expect(!dashboard.lines.joined().contains("Ctrl-L"))
  }

  @Test func aLongPromptScrollsToTheCursor() {
    var dashboard = Dashboard.sample([books], width: 20, height: 10)
    _ = dashboard.handle(.key(.character(":")))
    _ = dashboard.handle(.key(.paste("SELECT 日本語, 2, 3, 4, 5, 6, 7")))
    let (grid, cursor) = DashboardView(dashboard: dashboard).draw()
    #expect(grid.lines[9] == "›  2, 3, 4, 5, 6, 7")
    #expect(cursor == Point(x: 19, y: 9))
    for _ in 0..<100 { _ = dashboard.handle(.key(.left)) }
    let start = DashboardView(dashboard: dashboard).draw()
    #expect(start.grid.lines[9] == "› SELECT 日本語, 2,")
    #expect(start.cursor == Point(x: 2, y: 9))
  }
}
