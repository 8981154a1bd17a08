/// The commits per second, as a row of small columns.
struct RateView {
  let rates: [Double]

  func draw(into grid: inout Grid, _ area: Area) {
    if area.isEmpty { return }
    let now = rates.last ?? 0
    let shown = rates.suffix(area.width)
    let top = shown.max() ?? 0
    let text = "\(NumberText.fixed(now, decimals: 0)) commits/s   peak \(NumberText.fixed(top, decimals: 0))"
    grid.put(text, .text, in: area.row(0))
    let chart = area.height > 1 ? area.inset(top: 1) : area
    if area.height == 1 { return }
    for (index, rate) in shown.enumerated() {
      let x = chart.x + chart.width - shown.count + index
      let column = Self.column(top > 0 ? rate / top : 0, height: chart.height)
      for (y, character) in column.enumerated() where character != " " {
        grid.put(String(character), .spark, at: Point(x: x, y: chart.y + y), before: chart.x + chart.width)
      }
    }
  }

  /// A column, from top to bottom. A value that is not zero is visible.
  static func column(_ part: Double, height: Int) -> [Character] {
    let levels: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    var eighths = Int((min(1, max(0, part)) * Double(height * 8)).rounded())
    if part > 0 { eighths = max(1, eighths) }
    return (0..<height).reversed().map { row in levels[min(8, max(0, eighths - row * 8))] }
  }
}
