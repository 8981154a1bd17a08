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
  func theEnvironmentSaysWhichColorsThereAre(environment: [String: String], support: ColorSupport) {
    #expect(ColorSupport(environment) == support)
  }

  @Test(
    arguments: [
      (.none, nil), (.sixteen, "91"), (.many, "38;5;203"), (.millions, "38;2;255;110;110"),
    ] as [(ColorSupport, String?)])
  func aColorIsSaidAsTheTerminalHasIt(support: ColorSupport, parameters: String?) {
    let red = Color(red: 255, green: 110, blue: 110, basic: 9)
    #expect(red.parameters(support, isBackground: false) == parameters)
  }

  @Test func withoutColorsRolesAreStillToldApart() {
    let theme = Theme(.none)
    #expect(theme.sequence(for: .failure) == "\u{1B}[0;1m")
    #expect(theme.sequence(for: .status) == "\u{1B}[0;7m")
    #expect(theme.sequence(for: .faint) == "\u{1B}[0;2m")
    let colored = Role.allCases.filter { role in
      theme.sequence(for: role).contains { "3459".contains($0) }
    }
    #expect(colored == [])
  }
}
