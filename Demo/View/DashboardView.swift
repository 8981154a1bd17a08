/// The screen for a state: a pure function.
struct DashboardView {
  let dashboard: Dashboard

  /// The contents of the screen, and the position of the cursor if it is visible.
  func draw() -> (grid: Grid, cursor: Point?) {
    var grid = Grid(width: dashboard.size.width, height: dashboard.size.height)
    let layout = Layout(dashboard)
    if let title = layout.title { drawTitle(into: &grid, title) }
    if dashboard.panes.isEmpty {
      grid.put("No pane is open. Press : to type a query.", .faint, in: grid.area.row(layout.title == nil ? 0 : 1))
    }
    for frame in layout.frames {
      PaneView(pane: dashboard.panes[frame.index], dashboard: dashboard, frame: frame).draw(into: &grid)
    }
    if let status = layout.status { StatusView(dashboard: dashboard).draw(into: &grid, status) }
    if case .help(let firstLine) = dashboard.mode {
      HelpView(firstLine: firstLine, hasWorld: dashboard.world != nil).draw(into: &grid)
    }
    let cursor = layout.prompt.map { PromptView(prompt: dashboard.prompt).draw(into: &grid, $0) }
    return (grid, cursor ?? nil)
  }

  private func drawTitle(into grid: inout Grid, _ area: Area) {
    grid.fill(area, " ", .status)
    let end = grid.put(" " + dashboard.shownTitle, .statusKey, in: area)
    grid.put(facts, .status, in: area.inset(left: end + 2, right: 1), isRight: true)
  }

  /// A summary of the current activity, in a line.
  private var facts: String {
    var facts: [String] = []
    if let world = dashboard.world {
      let writers = "\(world.writerCount) \(world.writerCount == 1 ? "writer" : "writers")"
      facts.append(world.isPaused ? "\(writers) paused" : writers)
      if world.isBursting { facts.append("burst") }
      if world.backgroundCount > 0 { facts.append("\(NumberText.grouped(world.backgroundCount)) in the background") }
    }
    if dashboard.world == nil {
      let count = dashboard.figures.fetchCount
      facts.append("\(NumberText.grouped(count)) \(count == 1 ? "fetch" : "fetches")")
    }
    if let rate = dashboard.commitRates.samples.last {
      facts.append("\(NumberText.fixed(rate, decimals: 0)) commits/s")
    }
    return facts.joined(separator: " · ")
  }
}
