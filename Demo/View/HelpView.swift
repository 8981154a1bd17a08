/// The descriptions of the keys, above everything else.
struct HelpView {
  let firstLine: Int
  let hasWorld: Bool

  func draw(into grid: inout Grid) {
    let lines = HelpText.lines(hasWorld: hasWorld)
    let keysWidth = lines.map(\.keys.width).max() ?? 0
    let widthMax = lines.map { keysWidth + 2 + $0.meaning.width }.max() ?? 0
    let width = min(widthMax + 4, grid.width)
    let height = min(lines.count + 2, grid.height)
    let area = Area(x: (grid.width - width) / 2, y: (grid.height - height) / 2, width: width, height: height)
    let inside = drawBox(into: &grid, area)
    for (index, line) in lines.dropFirst(firstLine).prefix(inside.height).enumerated() {
      let place = inside.row(index)
      grid.put(line.keys, .statusKey, in: place)
      grid.put(line.meaning, .text, in: place.inset(left: keysWidth + 2))
    }
  }

  private func drawBox(into grid: inout Grid, _ area: Area) -> Area {
    grid.fill(area, " ", .text)
    guard area.width >= 24, area.height >= 5 else { return area }
    let line = String(repeating: "─", count: area.width - 2)
    let end = area.x + area.width
    grid.put("╭\(line)╮", .borderOfFocus, at: Point(x: area.x, y: area.y), before: end)
    grid.put("╰\(line)╯", .borderOfFocus, at: Point(x: area.x, y: area.y + area.height - 1), before: end)
    for y in (area.y + 1)..<(area.y + area.height - 1) {
      grid.put("│", .borderOfFocus, at: Point(x: area.x, y: y), before: end)
      grid.put("│", .borderOfFocus, at: Point(x: end - 1, y: y), before: end)
    }
    grid.put(" Keys ", .titleOfFocus, at: Point(x: area.x + 2, y: area.y), before: end - 2)
    return area.inset(left: 2, top: 1, right: 2, bottom: 1)
  }
}
