/// A bar chart: the first column without numbers is the label, the last column of numbers is the length.
struct BarsView {
  let pane: Pane
  let page: ResultPage

  /// The label and length columns; nil if the result has no numbers.
  var columns: (label: Int?, value: Int)? {
    let numbers = page.columns.indices.filter { index in
      page.rows.contains { $0[index].isNumber } && page.rows.allSatisfy { $0[index].isNumber || $0[index] == .null }
    }
    guard let value = numbers.last else { return nil }
    return (page.columns.indices.first { !numbers.contains($0) } ?? numbers.first { $0 != value }, value)
  }

  func draw(into grid: inout Grid, _ frame: Layout.Frame) {
    guard let columns else { return TableView(pane: pane, page: page).draw(into: &grid, frame) }
    let area = frame.content
    let rows = TableView(pane: pane, page: page).shownRows(frame.rowCount)
    let format = page.formats[columns.value]
    let labels = rows.map { row in columns.label.map { ValueText(row[$0], .text).text } ?? "" }
    let numbers = rows.map { ValueText($0[columns.value], format).text }
    let numberWidth = min(numbers.map(\.width).max() ?? 0, area.width)
    let labelWidth = min(labels.map { $0.cut(to: 40).width }.max() ?? 0, max(0, (area.width - numberWidth) / 2))
    let track = area.inset(left: labelWidth + 1, right: numberWidth + 1)
    let longest = page.rows.compactMap { $0[columns.value].number?.magnitude }.max() ?? 0
    for (line, row) in rows.enumerated() {
      let y = area.y + line
      grid.put(labels[line], .text, in: Area(x: area.x, y: y, width: labelWidth, height: 1))
      let part = longest > 0 ? (row[columns.value].number?.magnitude ?? 0) / longest : 0
      let bar = Self.bar(part, width: track.width)
      let end = grid.put(bar, .bar, at: Point(x: track.x, y: y), before: track.x + track.width)
      let rest = String(repeating: "·", count: max(0, track.x + track.width - end))
      grid.put(rest, .barTrack, at: Point(x: end, y: y), before: track.x + track.width)
      grid.put(
        numbers[line], .number,
        in: Area(x: area.x + area.width - numberWidth, y: y, width: numberWidth, height: 1), isRight: true)
    }
  }

  /// Draws a bar with a resolution of an eighth of a cell.
  static func bar(_ part: Double, width: Int) -> String {
    guard part.isFinite, width > 0 else { return "" }
    let eighths = Int((min(1, part) * Double(width * 8)).rounded())
    let rest = eighths % 8 == 0 ? "" : String(["▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8 - 1])
    return String(repeating: "█", count: eighths / 8) + rest
  }
}
