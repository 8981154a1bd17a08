/// What the live queries cost, in figures.
struct EngineView {
  let figures: Figures
  let firstLine: Int

  /// A figure with its name, and with a short one for narrow panes.
  struct Line: Equatable {
    var name: String
    var shortName: String
    var value: String

    init(_ name: String, _ value: String, short: String? = nil) {
      self.name = name
      self.value = value
      shortName = short ?? name
    }
  }

  func draw(into grid: inout Grid, _ area: Area) {
    let lines = Array(Self.lines(figures).dropFirst(firstLine))
    // Two columns where one would not hold all of them, and there is room.
    let columnCount = lines.count > area.height && area.width >= 50 ? 2 : 1
    let rowCount = columnCount == 1 ? area.height : min(area.height, (lines.count + 1) / 2)
    let width = (area.width - (columnCount - 1) * 2) / columnCount
    for (index, line) in lines.prefix(rowCount * columnCount).enumerated() {
      let (column, row) = index.quotientAndRemainder(dividingBy: max(1, rowCount))
      let place = Area(x: area.x + column * (width + 2), y: area.y + row, width: width, height: 1)
      let hasRoom = line.name.width + 1 + line.value.width <= width
      let end = grid.put(hasRoom ? line.name : line.shortName, .faint, in: place)
      grid.put(line.value, .number, in: place.inset(left: end - place.x + 1), isRight: true)
    }
  }

  /// Every figure with its name, the most telling ones first.
  static func lines(_ figures: Figures) -> [Line] {
    var lines = [
      Line("commits", NumberText.grouped(figures.commitCount)),
      Line("observations", NumberText.grouped(figures.observationCount)),
      Line(
        "woken by a commit", figures.wakesPerCommit.map { NumberText.fixed($0, decimals: 1) } ?? "–", short: "woken"),
      Line("fetches", NumberText.grouped(figures.fetchCount)),
      Line("shared fetches", NumberText.grouped(figures.sharedFetchCount), short: "shared"),
      Line("commit → value, p50 / p99", text(figures.toValue), short: "value p50/99"),
    ]
    if let toScreen = figures.toScreen {
      lines.append(Line("commit → screen, p50 / p99", text(toScreen), short: "screen p50/99"))
    }
    lines.append(Line("readers busy", "\(figures.busyReaderCount) of \(figures.readerCountMax)"))
    lines.append(Line("WAL", figures.logSize.map { NumberText.bytes(Double($0)) } ?? "–"))
    if let writes = figures.writes { lines.append(Line("write, p50 / p99", text(writes), short: "write p50/99")) }
    lines.append(Line("queries", NumberText.grouped(figures.queryCount)))
    lines.append(Line("wakes", NumberText.grouped(figures.wakeCount)))
    if figures.failureCount > 0 { lines.append(Line("failed fetches", NumberText.grouped(figures.failureCount))) }
    return lines
  }

  private static func text(_ quantiles: Quantiles?) -> String {
    guard let quantiles else { return "–" }
    return NumberText.pairOfSeconds(quantiles.p50, quantiles.p99)
  }
}
