/// The purpose of a piece of the screen. A theme decides how it looks: views do not choose colours.
enum Role: UInt8, CaseIterable, Sendable {
  case text, faint, header, number, null
  case border, borderOfFocus, title, titleOfFocus
  case good, warning, failure
  case bar, barTrack, spark
  case status, statusKey, prompt
}

/// One cell of the screen.
struct Cell: Equatable, Sendable {
  /// The character in this cell; nil in the cells that a wide character covers after its first one.
  var character: Character?
  var role: Role

  static let blank = Cell(character: " ", role: .text)
}

/// The position of a cell; the top left one is 0, 0.
struct Point: Equatable, Sendable {
  var x: Int
  var y: Int
}

/// A rectangular part of the screen.
struct Area: Equatable, Sendable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Returns the area without the given margins.
  func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> Area {
    Area(
      x: x + left, y: y + top, width: max(0, width - left - right), height: max(0, height - top - bottom))
  }

  func row(_ index: Int) -> Area { Area(x: x, y: y + index, width: width, height: index < height ? 1 : 0) }
}
