/// The cells of a screen.
///
/// Invariant: a character that covers several cells is stored in the first one, and the others are empty. Overwriting
/// one of these cells blanks the remaining ones.
struct Grid: Equatable, Sendable {
  let width: Int
  let height: Int
  private(set) var cells: [Cell]

  init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
    cells = Array(repeating: .blank, count: self.width * self.height)
  }

  subscript(x: Int, y: Int) -> Cell { cells[y * width + x] }

  var area: Area { Area(x: 0, y: 0, width: width, height: height) }

  /// Writes a text from a position on, up to a column.
  ///
  /// - Returns: The column after the text.
  @discardableResult
  mutating func put(_ text: String, _ role: Role, at point: Point, before end: Int) -> Int {
    let end = min(end, width)
    guard (0..<height).contains(point.y), point.x >= 0 else { return point.x }
    var x = point.x
    for character in text {
      let glyph = Glyph(character)
      if x + glyph.width > end { break }
      set(glyph, role, x, point.y)
      x += glyph.width
    }
    return x
  }

  /// Writes a text into the first row of an area, cut to the width of the area.
  @discardableResult
  mutating func put(_ text: String, _ role: Role, in area: Area, isRight: Bool = false) -> Int {
    if area.isEmpty { return area.x }
    let shown = text.cut(to: area.width)
    let x = isRight ? area.x + area.width - shown.width : area.x
    return put(shown, role, at: Point(x: x, y: area.y), before: area.x + area.width)
  }

  /// Fills an area with a character that covers one cell.
  mutating func fill(_ area: Area, _ character: Character = " ", _ role: Role) {
    if area.isEmpty { return }
    for y in area.y..<min(area.y + area.height, height) {
      for x in area.x..<min(area.x + area.width, width) { set(Glyph(character), role, x, y) }
    }
  }

  private mutating func set(_ glyph: Glyph, _ role: Role, _ x: Int, _ y: Int) {
    let start = y * width + x
    clearRemainder(around: start, count: glyph.width, row: y)
    cells[start] = Cell(character: glyph.character, role: role)
    var index = start + 1
    while index < start + glyph.width {
      cells[index] = Cell(character: nil, role: role)
      index += 1
    }
  }

  /// Blanks the remaining cells of characters that are about to be overwritten in part.
  private mutating func clearRemainder(around start: Int, count: Int, row: Int) {
    if cells[start].character == nil {
      var index = start - 1
      while index >= row * width {
        let isFirst = cells[index].character != nil
        cells[index].character = " "
        if isFirst { break }
        index -= 1
      }
    }
    var index = start + count
    while index < (row + 1) * width, cells[index].character == nil {
      cells[index].character = " "
      index += 1
    }
  }

  // MARK: As text

  /// The rows as text, without trailing blanks.
  var lines: [String] {
    (0..<height).map { y in
      let row = cells[(y * width)..<((y + 1) * width)]
      var text = String(row.compactMap(\.character))
      while text.last == " " { text.removeLast() }
      return text
    }
  }
}
