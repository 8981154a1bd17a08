/// A pane with its border, title and contents.
struct PaneView {
  let pane: Pane
  let dashboard: Dashboard
  let frame: Layout.Frame

  private var hasFocus: Bool { frame.index == dashboard.focus }

  func draw(into grid: inout Grid) {
    if frame.hasBorder { drawBorder(into: &grid) } else { drawBareTitle(into: &grid) }
    drawContent(into: &grid)
  }

  private func drawContent(into grid: inout Grid) {
    switch pane.subject {
    case .commitRate: RateView(rates: dashboard.commitRates.samples).draw(into: &grid, frame.content)
    case .engine: EngineView(figures: dashboard.figures, firstLine: pane.row).draw(into: &grid, frame.content)
    case .query:
      if let failure = pane.failure {
        drawLines("⚠ " + failure, .failure, into: &grid)
      } else if let page = pane.page, page.rows.isEmpty {
        TableView(pane: pane, page: page).draw(into: &grid, frame)
        grid.put("no rows", .faint, in: frame.content.row(frame.hasHeader ? 1 : 0))
      } else if let page = pane.page {
        switch pane.style {
        case .table: TableView(pane: pane, page: page).draw(into: &grid, frame)
        case .bars: BarsView(pane: pane, page: page).draw(into: &grid, frame)
        }
      } else {
        grid.put("fetching…", .faint, in: frame.content.row(0))
      }
    }
  }

  /// Draws a text over as many rows as it needs.
  private func drawLines(_ text: String, _ role: Role, into grid: inout Grid) {
    var rest = Substring(text)
    for row in 0..<frame.content.height where !rest.isEmpty {
      let place = frame.content.row(row)
      let isLast = row == frame.content.height - 1
      let line = isLast ? String(rest) : Self.line(of: rest, width: place.width)
      grid.put(line, role, in: place)
      rest = rest.dropFirst(line.count).drop { $0 == " " }
    }
  }

  /// Returns the words that fit into a line.
  private static func line(of text: Substring, width widthMax: Int) -> String {
    var width = 0
    var end = text.startIndex
    var lastBlank: Substring.Index?
    while end < text.endIndex {
      width += Glyph(text[end]).width
      if width > widthMax { return String(text[..<(lastBlank ?? end)]) }
      if text[end] == " " { lastBlank = end }
      end = text.index(after: end)
    }
    return String(text)
  }

  // MARK: - Border

  private func drawBorder(into grid: inout Grid) {
    let area = frame.area
    let role: Role = hasFocus ? .borderOfFocus : .border
    let line = String(repeating: "─", count: max(0, area.width - 2))
    grid.put("╭\(line)╮", role, at: Point(x: area.x, y: area.y), before: area.x + area.width)
    grid.put(
      "╰\(line)╯", role, at: Point(x: area.x, y: area.y + area.height - 1), before: area.x + area.width)
    for y in (area.y + 1)..<max(area.y + 1, area.y + area.height - 1) {
      grid.put("│", role, at: Point(x: area.x, y: y), before: area.x + area.width)
      grid.put("│", role, at: Point(x: area.x + area.width - 1, y: y), before: area.x + area.width)
    }
    drawTitle(into: &grid, in: area.row(0).inset(left: 2, right: 2))
    let place = position.cut(to: max(0, area.width - 6))
    if !place.isEmpty {
      grid.put(" \(place) ", .faint, in: area.row(area.height - 1).inset(left: 2, right: 2), isRight: true)
    }
  }

  private func drawBareTitle(into grid: inout Grid) {
    // A pane of one row has no title.
    if frame.area.height > 1 { drawTitle(into: &grid, in: frame.area.row(0)) }
  }

  private func drawTitle(into grid: inout Grid, in area: Area) {
    let mark = slowness
    let markWidth = mark.isEmpty ? 0 : mark.width + 1
    let title = (hasFocus ? "▸ " : "") + pane.title
    let shown = " " + title.cut(to: max(0, area.width - 2 - markWidth)) + " "
    let end = grid.put(
      shown, hasFocus ? .titleOfFocus : .title, at: Point(x: area.x, y: area.y), before: area.x + area.width)
    if !mark.isEmpty { grid.put(mark + " ", .warning, at: Point(x: end, y: area.y), before: area.x + area.width) }
  }

  /// The duration of the running query, once it is long.
  private var slowness: String {
    guard let elapsed = pane.slowFetch, elapsed > .milliseconds(700) else { return "" }
    return "running for \(NumberText.fixed(elapsed.inSeconds, decimals: 0)) s"
  }

  /// The visible rows and columns, if there are more.
  private var position: String {
    guard case .query = pane.subject, pane.failure == nil, let page = pane.page, !page.rows.isEmpty else { return "" }
    let end = min(pane.row + frame.rowCount, page.end)
    var texts: [String] = []
    if pane.row > 0 || page.hasMore || end < page.end {
      let count = NumberText.grouped(page.end) + (page.hasMore ? "+" : "")
      texts.append("rows \(NumberText.grouped(pane.row + 1))–\(NumberText.grouped(end)) of \(count)")
    }
    if pane.style == .table {
      let columns = TableView(pane: pane, page: page).columns(width: frame.content.width)
      if columns.count < page.columns.count, let first = columns.first, let last = columns.last {
        texts.append("columns \(first.index + 1)–\(last.index + 1) of \(NumberText.grouped(page.columns.count))")
      }
    }
    return texts.joined(separator: " · ")
  }
}
