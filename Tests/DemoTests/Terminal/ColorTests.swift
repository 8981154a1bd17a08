import Foundation
import Testing

@testable import Demo

@Suite struct ColorTests {
  @Test(
    arguments: [
      (["TERM": "xterm"], .sixteen), (["TERM": "xterm-256color"], .many),
      (["TERM": "xterm", "COLORTERM": "truecolor"], .millions),
      (["TERM": "screen-256color", "COLORTERM": "24bit"], .millions), (["TERM": "xterm-direct"], .millions),
      (["TERM": "xterm-256color", "NO_COLOR": "1", "COLORTERM": "truecolor"], .none),
      (["TERM": "xterm-256color", "NO_COLOR": ""], .many), (["TERM": "dumb", "COLORTERM": "truecolor"], .none),
      ([:], .none),
    ] as [([String: String], ColorSupport)])
  func environmentDeterminesTheColorSupport(environment: [String: String], support: ColorSupport) {
    #expect(ColorSupport(environment) == support)
  }

  @Test(
    arguments: [
      (.none, nil), (.sixteen, "91"), (.many, "38;5;203"), (.millions, "38;2;255;110;110"),
    ] as [(ColorSupport, String?)])
  func colorsUseTheTerminalsEncoding(support: ColorSupport, parameters: String?) {
    let red = Color(red: 255, green: 110, blue: 110, basic: 9)
    #expect(red.parameters(support, isBackground: false) == parameters)
  }

  @Test func rolesDifferWithoutColors() {
    let theme = Theme(.none, .unknown)
    #expect(theme.sequence(for: .failure) == "\u{1B}[0;1m")
    #expect(theme.sequence(for: .status) == "\u{1B}[0;7m")
    #expect(theme.sequence(for: .faint) == "\u{1B}[0;2m")
    let colored = Role.allCases.filter { role in
      theme.sequence(for: role).contains { "3459".contains($0) }
    }
    #expect(colored == [])
  }

  /// The contrast of WCAG 2: 1 for the same colour, 21 for black on white.
  private func contrast(_ one: Color, _ other: Color) -> Double {
    func luminance(_ color: Color) -> Double {
      let parts = [color.red, color.green, color.blue].map { part -> Double in
        let value = Double(part) / 255
        return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let (a, b) = (luminance(one), luminance(other))
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
  }

  private static let black = Color(red: 30, green: 30, blue: 30, basic: 0)
  private static let white = Color(red: 255, green: 255, blue: 255, basic: 15)

  @Test(
    arguments: [(.dark, [black]), (.light, [white]), (.unknown, [black, white])] as [(Background, [Color])])
  func allTextHasContrast(background: Background, colors: [Color]) {
    let palette = Palette(background)
    for role in Role.allCases where ![.border, .barTrack].contains(role) {
      let look = Look(role, palette)
      guard let color = look.color else { continue }
      for behind in look.background.map({ [$0] }) ?? colors {
        #expect(contrast(color, behind) >= 3, "\(role)")
      }
    }
  }

  @Test(arguments: [.text, .number, .title, .prompt] as [Role])
  func textUsesTheTerminalsForeground(role: Role) {
    for background in [Background.dark, .light, .unknown] {
      #expect(Theme(.millions, background).sequence(for: role) == "\u{1B}[0m")
    }
  }

  @Test(
    arguments: [
      ("15;0", .dark), ("0;15", .light), ("0;default;15", .light), ("7;8", .dark), ("0;7", .light), ("", .unknown),
      ("0;default", .unknown), ("x", .unknown),
    ] as [(String, Background)])
  func environmentDeterminesTheBackground(text: String, background: Background) {
    #expect(Background(["COLORFGBG": text]) == background)
  }

  @Test(
    arguments: [
      ("11;rgb:0000/0000/0000", .dark), ("11;rgb:ffff/ffff/ffff", .light), ("11;rgb:fd/f6/e3", .light),
      ("11;rgb:1/2/3", .dark), ("11;rgba:ffff/ffff/ffff/8000", .light), ("11;rgb:ffff/0000/0000", .dark),
      ("10;rgb:ffff/ffff/ffff", nil), ("11;#ffffff", nil), ("11;rgb:", nil), ("11;rgb:ff/ff", nil),
      ("11;rgb:fffff/fffff/fffff", nil), ("11;rgb:gg/gg/gg", nil),
    ] as [(String, Background?)])
  func repliesOfTheTerminalSpecifyTheBackground(reply: String, background: Background?) {
    #expect(Background(reply: reply) == background)
  }
}
