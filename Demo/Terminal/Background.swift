/// Whether the background of a terminal is dark or light.
///
/// The terminal reports it in reply to `query`, and some set an environment variable. Without either, the theme uses
/// colours that are readable on both.
enum Background: Equatable, Sendable {
  case dark, light, unknown

  /// Requests the background colour (OSC 11), then the device attributes (DA1). Every terminal replies to the second
  /// request, so its reply means that no reply to the first one is outstanding.
  static let query = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

  /// How long the first frame waits for the reply. A later reply is used as well.
  static let patience = Duration.milliseconds(100)

  /// Reads `COLORFGBG`: the foreground and the background, as numbers of the sixteen colours, such as `15;0` or
  /// `0;default;15`.
  init(_ environment: [String: String]) {
    switch environment["COLORFGBG"]?.split(separator: ";").last.flatMap({ Int($0) }) {
    case .some(0...6), .some(8): self = .dark
    case .some(7), .some(9...15): self = .light
    default: self = .unknown
    }
  }

  /// Parses a reply, without its `ESC ]`: `11;rgb:ffff/ffff/e0e0`. Nil for any other reply.
  init?(reply: String) {
    guard reply.hasPrefix("11;"), let colon = reply.firstIndex(of: ":") else { return nil }
    guard ["11;rgb", "11;rgba"].contains(reply[..<colon]) else { return nil }
    let parts = reply[reply.index(after: colon)...].split(separator: "/").prefix(3).map(Self.part)
    let known = parts.compactMap { $0 }
    guard known.count == 3 else { return nil }
    self = 0.299 * known[0] + 0.587 * known[1] + 0.114 * known[2] > 0.5 ? .light : .dark
  }

  /// One to four hexadecimal digits, scaled to 0...1.
  private static func part(_ digits: Substring) -> Double? {
    guard (1...4).contains(digits.count), let value = Int(digits, radix: 16) else { return nil }
    return Double(value) / Double((1 << (4 * digits.count)) - 1)
  }
}
