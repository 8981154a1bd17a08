/// The number of colours of a terminal.
enum ColorSupport: Equatable, Sendable {
  case none, sixteen, many, millions

  /// Reads the environment variables that describe the terminal.
  init(_ environment: [String: String]) {
    let term = environment["TERM"] ?? ""
    if environment["NO_COLOR"]?.isEmpty == false || Self.isDumb(environment) {
      self = .none
    } else if ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") || term.hasSuffix("-direct") {
      self = .millions
    } else if term.contains("256color") {
      self = .many
    } else {
      self = .sixteen
    }
  }

  /// Whether a terminal cannot move its cursor.
  static func isDumb(_ environment: [String: String]) -> Bool {
    ["", "dumb", "unknown"].contains(environment["TERM"] ?? "")
  }
}

/// A colour, and the replacement for it in a palette of sixteen.
struct Color: Sendable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  /// 0 to 7, and 8 more for the bright ones.
  var basic: UInt8

  /// The parameters of the sequence that selects it; nil without colours.
  func parameters(_ support: ColorSupport, isBackground: Bool) -> String? {
    let base = isBackground ? 40 : 30
    switch support {
    case .none: return nil
    case .sixteen: return "\(basic < 8 ? base + Int(basic) : base + 52 + Int(basic))"
    case .many: return "\(base + 8);5;\(cubeIndex)"
    case .millions: return "\(base + 8);2;\(red);\(green);\(blue)"
    }
  }

  /// The nearest of the 216 colours in the cube of six by six by six.
  private var cubeIndex: Int {
    let levels = [0, 95, 135, 175, 215, 255]
    func nearest(_ value: UInt8) -> Int {
      levels.indices.min { abs(levels[$0] - Int(value)) < abs(levels[$1] - Int(value)) } ?? 0
    }
    return 16 + 36 * nearest(red) + 6 * nearest(green) + nearest(blue)
  }
}
