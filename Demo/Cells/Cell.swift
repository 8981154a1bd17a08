/// What a piece of the screen is for. A theme says how it looks: the view knows no colours.
enum Role: UInt8, CaseIterable, Sendable {
  case text, faint, header, number, null
  case border, borderOfFocus, title, titleOfFocus
  case good, warning, failure
  case bar, barTrack, spark
  case status, statusKey, prompt
}

/// One place of the screen.
struct Cell: Equatable, Sendable {
  /// What stands there; nil behind a character that takes more than one place.
  var character: Character?
  var role: Role

  static let blank = Cell(character: " ", role: .text)
}

/// A place of the screen; the one at the top left is 0, 0.
struct Point: Equatable, Sendable {
  var x: Int
  var y: Int
}

/// A part of the screen.
struct Area: Equatable, Sendable {
  var x: Int
  var y: Int
  var width: Int
  var height: Int

  var isEmpty: Bool { width <= 0 || height <= 0 }

  /// The same area without some of its margins.
  func inset(left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0) -> Area {
    Area(
      x: x + left, y: y + top, width: max(0, width - left - right), height: max(0, height - top - bottom))
  }

  func row(_ index: Int) -> Area { Area(x: x, y: y + index, width: width, height: index < height ? 1 : 0) }
}
