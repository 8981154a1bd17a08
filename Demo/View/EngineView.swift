/// The measurements of the live queries.
struct EngineView {
  let figures: Figures
  let firstLine: Int

  func draw(into grid: inout Grid, _ area: Area) {
    let lines = Array(figures.lines.dropFirst(firstLine))
    // Two columns, if one is too short for all of them and there is room.
    let columnCount = lines.count > area.height && area.width >= 64 ? 2 : 1
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
}
