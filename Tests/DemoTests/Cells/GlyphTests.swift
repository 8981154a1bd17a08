import Testing

@testable import Demo

/// Characters have the width that terminals give them, and control characters do not reach the terminal.
@Suite struct GlyphTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("Ж", 1), ("א", 1), ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("─", 1),
    ("█", 1), ("…", 1), ("€", 1), ("🍜", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("☕️", 2), ("☎", 1), ("☎️", 2), ("1️⃣", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("कि", 2), ("𠀀", 2),
  ])
  func charactersOccupyTheirColumnWidth(character: Character, width: Int) {
    #expect(Glyph(character).width == width)
    #expect(Glyph(character).character == character)
  }

  @Test(arguments: [
    ("\u{0}", "␀"), ("\u{1B}", "␛"), ("\n", "␊"), ("\r\n", "␍"), ("\t", "␉"), ("\u{7F}", "␡"), ("\u{9B}", "\u{FFFD}"),
    ("\u{2028}", "\u{FFFD}"), ("\u{202E}", "\u{FFFD}"), ("\u{2066}", "\u{FFFD}"), ("\u{200B}", "\u{FFFD}"),
    ("\u{FEFF}", "\u{FFFD}"), ("\u{301}", "\u{FFFD}"), ("\u{E000}", "\u{FFFD}"), ("\u{FFFF}", "\u{FFFD}"),
  ])
  func terminalControlCharactersAreReplaced(character: Character, shown: Character) {
    #expect(Glyph(character).character == shown)
    #expect(Glyph(character).width == 1)
  }

  @Test func noUnicodeControlScalarReachesTheTerminal() {
    // The planes after these contain private characters and tags.
    let values = Array(0...UInt32(0x1FFFF)) + Array(0xE0000...0xE01FF)
    let scalars = values.lazy.compactMap(Unicode.Scalar.init)
    let obeyed = scalars.filter { scalar in
      let glyph = Glyph(Character(scalar))
      return glyph.width < 1
        || glyph.character.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }
    }
    #expect(Array(obeyed.prefix(3)) == [])
  }

  @Test func excessiveCombiningMarksAreDropped() {
    let tower = Character("a" + String(repeating: "\u{301}", count: 500))
    #expect(Glyph(tower).character.unicodeScalars.count == 12)
    #expect(Glyph(tower).width == 1)
  }

  /// Invariant 1, for a cluster that splits into several characters when some of its scalars are removed.
  @Test func everyScalarSequenceCanBeShown() {
    let scalars: [Unicode.Scalar] = [
      "a", "\u{1F1E9}", "\u{1F469}", "\u{200D}", "\u{FE0F}", "\u{301}", "\u{1F3FD}", "\u{E0067}", "\u{200C}",
      "\u{0600}", "\r", "\n",
      "\u{1112}", "\u{1161}", "\u{94D}", "\u{915}", "\u{20E3}", "1",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      let text = String(
        String.UnicodeScalarView((0..<6).map { _ in scalars.randomElement(using: &random) ?? "a" }))
      for character in text {
        let glyph = Glyph(character)
        #expect(glyph.width >= 1)
        #expect(!glyph.character.unicodeScalars.contains { $0.properties.generalCategory == .control })
      }
    }
  }

  @Test func bidirectionalControlsAreRemoved() {
    #expect("a\u{200E}b\u{202E}c".visible == "a\u{FFFD}b\u{FFFD}c")
  }

  @Test(arguments: [
    ("plain", 5, "plain"), ("plainer", 5, "plai…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ("日本語", 1, "…"),
    ("a", 0, ""), ("", 3, ""), ("naïve", 4, "naï…"),
  ])
  func textIsTruncatedToItsWidth(text: String, width: Int, cut: String) {
    #expect(text.cut(to: width) == cut)
    #expect(text.cut(to: width).width <= width)
  }
}
