/// How the roles of cells look.
///
/// Without colours, what matters is still told apart: by bold, dim and reversed characters.
struct Theme: Sendable {
  /// The sequence that chooses each look, from whatever was chosen before.
  private let sequences: [String]

  init(_ support: ColorSupport) {
    sequences = Role.allCases.map { role in
      let look = Self.look(of: role)
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

  private struct Look {
    var color: Color?
    var background: Color?
    var isBold = false
    var isDim = false
    var isReversed = false
  }

  private static let gray = Color(red: 128, green: 138, blue: 150, basic: 8)
  private static let blue = Color(red: 95, green: 175, blue: 255, basic: 12)
  private static let cyan = Color(red: 95, green: 215, blue: 215, basic: 6)
  private static let green = Color(red: 135, green: 215, blue: 135, basic: 2)
  private static let yellow = Color(red: 255, green: 215, blue: 95, basic: 3)
  private static let red = Color(red: 255, green: 110, blue: 110, basic: 9)
  private static let dark = Color(red: 58, green: 66, blue: 80, basic: 8)
  private static let bar = Color(red: 38, green: 50, blue: 68, basic: 4)
  private static let white = Color(red: 228, green: 232, blue: 238, basic: 15)

  private static func look(of role: Role) -> Look {
    switch role {
    case .text: Look()
    case .faint: Look(color: gray, isDim: true)
    case .header: Look(color: cyan, isBold: true)
    case .number: Look(color: white)
    case .null: Look(color: gray, isDim: true)
    case .border: Look(color: dark, isDim: true)
    case .borderOfFocus: Look(color: blue)
    case .title: Look(color: white)
    case .titleOfFocus: Look(color: blue, isBold: true)
    case .good: Look(color: green)
    case .warning: Look(color: yellow, isBold: true)
    case .failure: Look(color: red, isBold: true)
    case .bar: Look(color: green)
    case .barTrack: Look(color: dark, isDim: true)
    case .spark: Look(color: cyan)
    case .status: Look(color: white, background: bar, isReversed: true)
    case .statusKey: Look(color: yellow, background: bar, isBold: true, isReversed: true)
    case .prompt: Look()
    }
  }
}
