/// The positions of everything on the screen.
///
/// It belongs to the model: how far a pane can be scrolled, and which rows are fetched, depends on it.
struct Layout: Equatable, Sendable {
  var title: Area?
  var status: Area?
  var prompt: Area?

  /// The visible panes, with their frames.
  var frames: [Frame] = []

  struct Frame: Equatable, Sendable {
    var id: Pane.ID

    /// The index of the pane in the list of panes.
    var index: Int
    var area: Area
    var hasBorder: Bool
    var isTable: Bool

    /// The area inside the border, or below the title.
    var content: Area {
      if hasBorder { return area.inset(left: 1, top: 1, right: 1, bottom: 1) }
      return area.height > 1 ? area.inset(top: 1) : area
    }

    /// Whether there is a row of column names.
    var hasHeader: Bool { isTable && content.height > 1 }

    /// The number of visible rows of a result.
    var rowCount: Int { max(0, content.height - (hasHeader ? 1 : 0)) }
  }

  private static let paneHeightMin = 6
  private static let paneWidthMin = 38

  init(_ dashboard: Dashboard) {
    let size = dashboard.size
    var body = Area(x: 0, y: 0, width: size.width, height: size.height)
    if dashboard.mode == .prompt, size.height > 0 {
      // One row for the query, and one for its error.
      let height = min(size.height, size.height > 3 ? 2 : 1)
      prompt = Area(x: 0, y: size.height - height, width: size.width, height: height)
      body.height -= height
    } else if size.height >= 3 {
      status = Area(x: 0, y: size.height - 1, width: size.width, height: 1)
      body.height -= 1
    }
    if body.height >= 8 {
      title = body.row(0)
      body = body.inset(top: 1)
    }
    frames = Self.frames(of: dashboard, in: body)
  }

  /// The number of visible rows of a pane's result; zero if the pane is not visible.
  func rowCount(of id: Pane.ID) -> Int { frames.first { $0.id == id }?.rowCount ?? 0 }

  private static func frames(of dashboard: Dashboard, in body: Area) -> [Frame] {
    let panes = dashboard.panes
    if panes.isEmpty || body.isEmpty { return [] }
    let hasBorder = body.height >= 5 && body.width >= 24
    if dashboard.isZoomed {
      let index = dashboard.focus
      return [frame(index, panes[index], body, hasBorder)]
    }
    let columnCountMax = max(1, min(body.width / paneWidthMin, body.width >= 170 ? 3 : 2))
    let rowCountMax = max(1, body.height / paneHeightMin)
    // If not all panes fit, show those next to the focused one.
    let capacity = columnCountMax * rowCountMax
    let first = dashboard.focus / capacity * capacity
    let shown = Array(panes.indices[first..<min(first + capacity, panes.count)])
    let columnCount = shown.count <= rowCountMax && body.width < 110 && shown.count < 3 ? 1 : columnCountMax
    let rowCount = (shown.count + columnCount - 1) / columnCount
    return (0..<rowCount).flatMap { row -> [Frame] in
      let indices = Array(shown[(row * columnCount)..<min((row + 1) * columnCount, shown.count)])
      let (y, height) = part(row, of: rowCount, in: body.height)
      return indices.enumerated().map { column, index in
        let (x, width) = part(column, of: indices.count, in: body.width)
        let area = Area(x: body.x + x, y: body.y + y, width: width, height: height)
        return frame(index, panes[index], area, hasBorder)
      }
    }
  }

  private static func frame(_ index: Int, _ pane: Pane, _ area: Area, _ hasBorder: Bool) -> Frame {
    let isTable = if case .query = pane.subject { pane.style == .table } else { false }
    return Frame(id: pane.id, index: index, area: area, hasBorder: hasBorder, isTable: isTable)
  }

  /// The start and the length of one of several equal parts.
  private static func part(_ index: Int, of count: Int, in length: Int) -> (start: Int, length: Int) {
    let start = length * index / count
    return (start, length * (index + 1) / count - start)
  }
}
