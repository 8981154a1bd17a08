import Testing

@testable import Demo

/// Characters are shown as wide as terminals draw them, and none is obeyed.
@Suite struct GlyphTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("ß", 1), ("Ж", 1), ("א", 1), ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("─", 1),
    ("█", 1), ("…", 1), ("€", 1), ("🍜", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("☕️", 2), ("☎", 1), ("☎️", 2), ("1️⃣", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("कि", 2), ("𠀀", 2),
  ])
  func aCharacterTakesItsPlaces(character: Character, width: Int) {
    #expect(Glyph(character).width == width)
    #expect(Glyph(character).character == character)
  }

  @Test(arguments: [
    ("\u{0}", "␀"), ("\u{1B}", "␛"), ("\n", "␊"), ("\r\n", "␍"), ("\t", "␉"), ("\u{7F}", "␡"), ("\u{9B}", "\u{FFFD}"),
    ("\u{2028}", "\u{FFFD}"), ("\u{202E}", "\u{FFFD}"), ("\u{2066}", "\u{FFFD}"), ("\u{200B}", "\u{FFFD}"),
    ("\u{FEFF}", "\u{FFFD}"), ("\u{301}", "\u{FFFD}"), ("\u{E000}", "\u{FFFD}"), ("\u{FFFF}", "\u{FFFD}"),
  ])
  func whatATerminalWouldObeyIsShownAsSomethingElse(character: Character, shown: Character) {
    #expect(Glyph(character).character == shown)
    #expect(Glyph(character).width == 1)
  }

  @Test func noScalarOfUnicodeGetsThroughThatATerminalWouldObey() {
    let scalars = (0...UInt32(0x10FFFF)).lazy.compactMap(Unicode.Scalar.init)
    let obeyed = scalars.filter { scalar in
      let glyph = Glyph(Character(scalar))
      return glyph.width < 1
        || glyph.character.unicodeScalars.contains { [.control, .format].contains($0.properties.generalCategory) }
    }
    #expect(Array(obeyed.prefix(3)) == [])
  }

  @Test func aCharacterWithATowerOfMarksHasOnlySomeOfThem() {
    let tower = Character("a" + String(repeating: "\u{301}", count: 500))
    #expect(Glyph(tower).character.unicodeScalars.count == 12)
    #expect(Glyph(tower).width == 1)
  }

  @Test func aDirectionInsideOfACharacterIsLeftOut() {
    #expect(Glyph(Character("a\u{200D}\u{301}\u{200E}")).character.unicodeScalars.contains("\u{200E}") == false)
  }

  @Test(arguments: [
    ("plain", 5, "plain"), ("plainer", 5, "plai…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ("日本語", 1, "…"),
    ("a", 0, ""), ("", 3, ""), ("naïve", 4, "naï…"),
  ])
  func aTextIsCutToItsPlaces(text: String, width: Int, cut: String) {
    #expect(text.cut(to: width) == cut)
    #expect(text.cut(to: width).width <= width)
  }
}
