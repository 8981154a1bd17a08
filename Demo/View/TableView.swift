/// Rows below the names of their columns.
struct TableView {
  let pane: Pane
  let page: ResultPage

  /// The largest width of a column while other columns need room.
  private static let columnWidthMax = 40
  private static let gap = 2

  struct Column: Equatable {
    var index: Int
    var format: ColumnFormat
    var x: Int
    var width: Int
  }

  func draw(into grid: inout Grid, _ frame: Layout.Frame) {
    let area = frame.content
    let texts = columns(width: area.width)
    if frame.hasHeader {
      for column in texts {
        let place = Area(x: area.x + column.x, y: area.y, width: column.width, height: 1)
        grid.put(page.columns[column.index], .header, in: place, isRight: column.format.isRight)
      }
    }
    for (line, row) in shownRows(frame.rowCount).enumerated() {
      let y = area.y + line + (frame.hasHeader ? 1 : 0)
      for column in texts {
        let value = ValueText(row[column.index], column.format)
        let place = Area(x: area.x + column.x, y: y, width: column.width, height: 1)
        grid.put(value.text, value.role, in: place, isRight: column.format.isRight)
      }
    }
  }

  func shownRows(_ count: Int) -> ArraySlice<[CellValue]> {
    let start = min(max(0, pane.row - page.offset), page.rows.count)
    return page.rows[start..<min(start + count, page.rows.count)]
  }

  /// The visible columns. Their widths depend on all loaded rows, so that scrolling moves no column.
  func columns(width: Int) -> [Column] {
    var columns: [Column] = []
    var naturalWidths: [Int] = []
    var x = 0
    for index in page.columns.indices.dropFirst(pane.column) {
      let left = width - x
      if left < (columns.isEmpty ? 1 : 4) { break }
      let columnWidth = min(page.widths[index], Self.columnWidthMax, left)
      columns.append(Column(index: index, format: page.formats[index], x: x, width: columnWidth))
      naturalWidths.append(page.widths[index])
      x += columnWidth + Self.gap
    }
    return Self.widened(columns, naturalWidths, left: width - (x - Self.gap))
  }

  /// Distributes the remaining room among the columns that can use it.
  private static func widened(_ columns: [Column], _ naturalWidths: [Int], left: Int) -> [Column] {
    var columns = columns
    var left = left
    var shift = 0
    for index in columns.indices {
      columns[index].x += shift
      let more = max(0, min(left, naturalWidths[index] - columns[index].width))
      columns[index].width += more
      left -= more
      shift += more
    }
    return columns
  }
}
