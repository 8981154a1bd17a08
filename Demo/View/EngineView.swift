/// What the live queries cost, in figures.
struct EngineView {
  let figures: Figures

  func draw(into grid: inout Grid, _ area: Area) {
    let lines = Self.lines(figures)
    // Two columns where one would not hold all of them, and there is room.
    let columnCount = lines.count > area.height && area.width >= 50 ? 2 : 1
    let rowCount = columnCount == 1 ? area.height : min(area.height, (lines.count + 1) / 2)
    let width = (area.width - (columnCount - 1) * 3) / columnCount
    for (index, line) in lines.prefix(rowCount * columnCount).enumerated() {
      let place = Area(
        x: area.x + index / max(1, rowCount) * (width + 3), y: area.y + index % max(1, rowCount), width: width, height: 1)
      let end = grid.put(line.label, .faint, in: place)
      grid.put(line.value, .number, in: place.inset(left: end - place.x + 1), isRight: true)
    }
  }

  /// Every figure with its name, the most telling ones first.
  static func lines(_ figures: Figures) -> [(label: String, value: String)] {
    var lines = [
      ("commits", NumberText.grouped(figures.commitCount)),
      ("observations", NumberText.grouped(figures.observationCount)),
      ("woken by a commit", figures.wakesPerCommit.map { NumberText.fixed($0, decimals: 1) } ?? "–"),
      ("fetches", NumberText.grouped(figures.fetchCount)),
      ("shared fetches", NumberText.grouped(figures.sharedFetchCount)),
      ("commit → value", text(figures.toValue)),
    ]
    if let toScreen = figures.toScreen { lines.append(("commit → screen", text(toScreen))) }
    if let writes = figures.writes { lines.append(("write", text(writes))) }
    lines.append(("readers busy", "\(figures.busyReaderCount) of \(figures.readerCountMax)"))
    lines.append(("log", figures.logSize.map { NumberText.bytes(Double($0)) } ?? "–"))
    lines.append(("queries", NumberText.grouped(figures.queryCount)))
    lines.append(("wakes", NumberText.grouped(figures.wakeCount)))
    if figures.failureCount > 0 { lines.append(("failed fetches", NumberText.grouped(figures.failureCount))) }
    return lines
  }

  private static func text(_ quantiles: Quantiles?) -> String {
    guard let quantiles else { return "–" }
    return "p50 \(NumberText.seconds(quantiles.p50)) p99 \(NumberText.seconds(quantiles.p99))"
  }
}
