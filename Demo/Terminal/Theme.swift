/// The appearance of the roles of cells.
///
/// Text uses the terminal's own foreground colour, which is readable for its owner. Other colours come from the
/// palette for its background. Without colours, roles differ by bold, dim and reversed characters.
struct Theme: Sendable {
  /// The sequence that selects each role, from any previous state.
  private let sequences: [String]

  init(_ support: ColorSupport, _ background: Background) {
    let palette = Palette(background)
    sequences = Role.allCases.map { role in
      let look = Look(role, palette)
      var parameters = ["0"]
      if look.isBold { parameters.append("1") }
      if look.isDim, support == .none { parameters.append("2") }
      if look.isReversed, support == .none { parameters.append("7") }
      parameters += [
        look.color?.parameters(support, isBackground: false), look.background?.parameters(support, isBackground: true),
      ].compactMap { $0 }
      return "\u{1B}[\(parameters.joined(separator: ";"))m"
    }
  }

  func sequence(for role: Role) -> String { sequences[Int(role.rawValue)] }
}

/// The appearance of a role. A missing colour is the terminal's own.
struct Look {
  var color: Color?
  var background: Color?
  var isBold = false
  var isDim = false
  var isReversed = false

  init(
    color: Color? = nil, background: Color? = nil, isBold: Bool = false, isDim: Bool = false, isReversed: Bool = false
  ) {
    self.color = color
    self.background = background
    self.isBold = isBold
    self.isDim = isDim
    self.isReversed = isReversed
  }

  init(_ role: Role, _ palette: Palette) {
    switch role {
    case .text, .number, .title, .prompt: self.init()
    case .faint, .null: self.init(color: palette.faint, isDim: true)
    case .header, .spark: self.init(color: palette.cyan, isBold: role == .header)
    case .border, .barTrack: self.init(color: palette.line, isDim: true)
    case .borderOfFocus: self.init(color: palette.blue)
    case .titleOfFocus: self.init(color: palette.blue, isBold: true)
    case .good, .bar: self.init(color: palette.green)
    case .warning: self.init(color: palette.yellow, isBold: true)
    case .failure: self.init(color: palette.red, isBold: true)
    case .status: self.init(color: palette.onBar, background: palette.bar, isReversed: true)
    case .statusKey: self.init(color: palette.keyOnBar, background: palette.bar, isBold: true, isReversed: true)
    }
  }
}

/// The colours for a background.
struct Palette: Sendable {
  var faint: Color
  var line: Color
  var blue: Color
  var cyan: Color
  var green: Color
  var yellow: Color
  var red: Color

  /// The status bar has its own background.
  var bar = Color(red: 38, green: 50, blue: 68, basic: 4)
  var onBar = Color(red: 228, green: 232, blue: 238, basic: 15)
  var keyOnBar = Color(red: 255, green: 215, blue: 95, basic: 11)

  init(_ background: Background) {
    switch background {
    case .dark:
      faint = Color(red: 128, green: 138, blue: 150, basic: 7)
      line = Color(red: 58, green: 66, blue: 80, basic: 8)
      blue = Color(red: 95, green: 175, blue: 255, basic: 12)
      cyan = Color(red: 95, green: 215, blue: 215, basic: 6)
      green = Color(red: 135, green: 215, blue: 135, basic: 2)
      yellow = Color(red: 255, green: 215, blue: 95, basic: 3)
      red = Color(red: 255, green: 110, blue: 110, basic: 9)
    case .light:
      faint = Color(red: 95, green: 95, blue: 95, basic: 8)
      line = Color(red: 175, green: 175, blue: 175, basic: 7)
      blue = Color(red: 0, green: 95, blue: 175, basic: 4)
      cyan = Color(red: 0, green: 95, blue: 95, basic: 6)
      green = Color(red: 0, green: 95, blue: 0, basic: 2)
      yellow = Color(red: 135, green: 75, blue: 0, basic: 5)
      red = Color(red: 175, green: 0, blue: 0, basic: 1)
      bar = Color(red: 215, green: 215, blue: 255, basic: 7)
      onBar = Color(red: 0, green: 0, blue: 0, basic: 0)
      keyOnBar = Color(red: 0, green: 0, blue: 135, basic: 4)
    case .unknown:
      // Half-way between black and white: readable on both.
      faint = Color(red: 118, green: 118, blue: 118, basic: 8)
      line = Color(red: 118, green: 118, blue: 118, basic: 8)
      blue = Color(red: 0, green: 125, blue: 215, basic: 4)
      cyan = Color(red: 0, green: 135, blue: 135, basic: 6)
      green = Color(red: 0, green: 135, blue: 0, basic: 2)
      yellow = Color(red: 175, green: 95, blue: 0, basic: 5)
      red = Color(red: 215, green: 55, blue: 55, basic: 1)
    }
  }
}
