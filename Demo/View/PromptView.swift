/// The line in which a query is typed, with its error above.
struct PromptView {
  let prompt: Dashboard.Prompt

  /// - Returns: The position of the cursor.
  func draw(into grid: inout Grid, _ area: Area) -> Point {
    grid.fill(area, " ", .prompt)
    let line = area.row(area.height - 1)
    if area.height > 1 { drawHint(into: &grid, area.row(0)) }
    let mark = grid.put(area.height == 1 && prompt.failure != nil ? "! " : "› ", .statusKey, in: line)
    let room = line.inset(left: mark - line.x)
    let (text, cursor) = Self.window(prompt.editor, width: room.width)
    grid.put(text, .prompt, at: Point(x: room.x, y: room.y), before: room.x + room.width)
    return Point(x: min(room.x + cursor, max(0, grid.width - 1)), y: room.y)
  }

  private func drawHint(into grid: inout Grid, _ area: Area) {
    if let failure = prompt.failure {
      grid.put(" ⚠ " + failure, .failure, in: area)
    } else {
      grid.put(
        prompt.isChecking ? " looking at it…" : " a query · Enter opens a live pane · Esc clears", .faint, in: area)
    }
  }

  /// The part of a line around its cursor, and the position of the cursor in it.
  static func window(_ editor: LineEditor, width widthMax: Int) -> (text: String, cursor: Int) {
    let widths = editor.characters.map { Glyph($0).width }
    var start = editor.cursor
    // The cursor needs a cell of its own after the text.
    var left = widthMax - 1
    while start > 0, widths[start - 1] <= left {
      left -= widths[start - 1]
      start -= 1
    }
    let before = widths[start..<editor.cursor].reduce(0, +)
    return (String(editor.characters[start...]), before)
  }
}
