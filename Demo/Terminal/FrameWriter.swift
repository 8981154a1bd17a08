/// Computes the bytes that change the contents of a terminal into a screen.
///
/// Invariants:
/// 1. Only differences are written, and nothing at all if there are none.
/// 2. After a character of uncertain width is written or replaced, the rest of its line is written again, from an
///    absolute position on. So no adjacent character stays erased, regardless of the width that a terminal uses.
struct FrameWriter: Sendable {
  private let colors: ColorSupport
  private var theme: Theme
  private var shown: Grid?
  private var cursor: Point?

  /// The position of the terminal's cursor and the selected role, as far as they are known.
  private var place: Point?
  private var role: Role?

  // Synchronized output: the terminal shows only complete frames. Terminals without the mode ignore it.
  private static let beginning = "\u{1B}[?2026h\u{1B}[?25l"
  private static let end = "\u{1B}[0m\u{1B}[?2026l"

  init(_ colors: ColorSupport, _ background: Background = .unknown) {
    self.colors = colors
    theme = Theme(colors, background)
  }

  /// Makes the next frame a full redraw, in the colours for a background.
  mutating func use(_ background: Background) {
    theme = Theme(colors, background)
    forget()
  }

  /// Makes the next frame a full redraw, because the contents of the terminal are unknown.
  mutating func forget() {
    shown = nil
    cursor = nil
  }

  /// Returns the bytes for a screen.
  mutating func bytes(for grid: Grid, cursor newCursor: Point?) -> [UInt8] {
    let isWhole = shown?.width != grid.width || shown?.height != grid.height
    var output = ""
    role = nil
    place = nil
    if isWhole { output += "\u{1B}[0m\u{1B}[2J" }
    let old = isWhole ? Grid(width: grid.width, height: grid.height) : shown ?? grid
    for y in 0..<grid.height { writeRow(y, grid, old, &output) }
    shown = grid
    if output.isEmpty, cursor == newCursor { return [] }
    cursor = newCursor
    if let newCursor { output += "\u{1B}[\(newCursor.y + 1);\(newCursor.x + 1)H\u{1B}[?25h" }
    return Array((Self.beginning + output + Self.end).utf8)
  }

  private mutating func writeRow(_ y: Int, _ grid: Grid, _ old: Grid, _ output: inout String) {
    let start = y * grid.width
    // Equal rows need no comparison of cells.
    if grid.cells[start..<(start + grid.width)] == old.cells[start..<(start + grid.width)] { return }
    var isRemainderUncertain = false
    for x in 0..<grid.width {
      let cell = grid.cells[start + x]
      guard let character = cell.character else {
        continue
      }
      let glyph = Glyph(character)
      let range = (start + x)..<min(start + x + glyph.width, start + grid.width)
      if !isRemainderUncertain {
        if grid.cells[range] == old.cells[range] { continue }
        // The replaced character may have covered more cells than its width says.
        isRemainderUncertain =
          !glyph.isSure || old.cells[range].contains { cell in cell.character.map { !Glyph($0).isSure } ?? false }
      }
      write(cell, character, glyph, at: Point(x: x, y: y), &output)
    }
  }

  private mutating func write(
    _ cell: Cell, _ character: Character, _ glyph: Glyph, at point: Point, _ output: inout String
  ) {
    move(to: point, &output)
    if role != cell.role {
      output += theme.sequence(for: cell.role)
      role = cell.role
    }
    if glyph.isSure {
      output.append(character)
      place = Point(x: point.x + glyph.width, y: point.y)
      return
    }
    // Blanks first, in case the character covers fewer cells.
    if glyph.width > 1 {
      output += String(repeating: " ", count: glyph.width) + "\u{1B}[\(point.y + 1);\(point.x + 1)H"
    }
    output.append(character)
    place = nil
  }

  private mutating func move(to point: Point, _ output: inout String) {
    if place == point { return }
    if let place, place.y == point.y, place.x < point.x {
      output += point.x - place.x == 1 ? "\u{1B}[C" : "\u{1B}[\(point.x - place.x)C"
    } else {
      output += "\u{1B}[\(point.y + 1);\(point.x + 1)H"
    }
  }
}
