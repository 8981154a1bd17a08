import Testing

@testable import Demo

@Suite struct InputDecoderTests {
  private func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

  private func keys(_ bytes: [UInt8]) -> [Key] {
    var decoder = InputDecoder()
    return decoder.decode(bytes) + decoder.endOfBurst()
  }

  @Test(
    arguments: [
      ("a", [.character("a")]), ("é日🍜", [.character("é"), .character("日"), .character("🍜")]), ("\r", [.enter]),
      ("\n", [.enter]),
      ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{3}", [.control("c")]), ("\u{1A}", [.control("z")]),
      ("\u{1B}", [.escape]), ("\u{1B}\u{1B}", [.escape, .escape]), ("\u{1B}b", [.alt("b")]), ("\u{1B}é", [.alt("é")]),
      ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]), ("\u{1B}OA\u{1B}OH", [.up, .home]),
      ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}[7~\u{1B}[8~", [.home, .end, .home, .end, .home, .end]),
      ("\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[Z", [.delete, .pageUp, .pageDown, .backTab]),
      ("\u{1B}[1;5C\u{1B}[1;5D", [.controlRight, .controlLeft]), ("\u{1B}[1;2A", [.up]),
    ] as [(String, [Key])])
  func sequencesAreDecodedAsKeys(text: String, expected: [Key]) {
    #expect(keys(text) == expected)
  }

  @Test(arguments: [
    "\u{1B}[99~", "\u{1B}[<0;10;20M", "\u{1B}[<0;10;20m", "\u{1B}[M abc".dropLast(1) + "", "\u{1B}[I", "\u{1B}[O",
    "\u{1B}[?62;22c",
    "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]11;rgb:0/0/0\u{1B}\\", "\u{1B}P>|tmux 3.3a\u{1B}\\", "\u{1B}[[A",
    "\u{1B}[>0;1234567890123456789012345678901234567890123456789012345678901234567890;1c", "\u{1B}Oz",
  ])
  func unknownSequencesAreSkippedWhole(text: String) {
    #expect(keys(text + "x") == [.character("x")])
  }

  @Test(arguments: [
    "a日🍜\u{1B}[1;5C\u{1B}OA\u{1B}b", "\u{1B}[200~one\ntwo 日 \u{1B}[A\u{1B}[201~z",
    "\u{1B}]0;title\u{1B}\\q\u{1B}[<1;2;3Mz",
  ])
  func decodingIsIndependentOfReadBoundaries(text: String) {
    let bytes = Array(text.utf8)
    let whole = keys(bytes)
    for cut in 1..<bytes.count {
      var decoder = InputDecoder()
      #expect(decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...]) + decoder.endOfBurst() == whole)
    }
    var decoder = InputDecoder()
    #expect(bytes.flatMap { decoder.decode([$0]) } + decoder.endOfBurst() == whole)
  }

  @Test(arguments: ["\u{7}", "\u{1B}\\"])
  func terminalRepliesAreNotKeys(end: String) {
    let bytes = Array("a\u{1B}]11;rgb:ffff/ffff/ffff\(end)\u{1B}[?62;22cb".utf8)
    for cut in 0..<bytes.count {
      var decoder = InputDecoder()
      let keys = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
      #expect(keys == [.character("a"), .character("b")])
      #expect(decoder.takeReplies() == [.background(.light), .attributes])
      #expect(decoder.takeReplies() == [])
    }
  }

  @Test func aPasteIsOneKey() {
    #expect(keys("\u{1B}[200~SELECT 1;\n\u{3}q\u{1B}[201~x") == [.paste("SELECT 1;\n\u{3}q"), .character("x")])
  }

  @Test func unterminatedPasteIsBounded() {
    var decoder = InputDecoder()
    let start = decoder.decode("\u{1B}[200~".utf8)
    var others: [Key] = []
    for _ in 0..<40 { others += decoder.decode(String(repeating: "x", count: 10_000).utf8) }
    let end = decoder.decode("\u{1B}[201~".utf8)
    #expect(start + others == [])
    #expect(end == [.paste(String(repeating: "x", count: InputDecoder.pasteLengthMax))])
  }

  @Test(
    arguments: [
      ([0xFF, 0x61], [.character("\u{FFFD}"), .character("a")]),
      ([0xE6, 0x61], [.character("\u{FFFD}"), .character("a")]),
      ([0x80], [.character("\u{FFFD}")]), ([0xC0, 0x61], [.character("\u{FFFD}"), .character("a")]),
      (
        [0xED, 0xA0, 0x80, 0x61].dropLast(0) + [],
        [.character("\u{FFFD}"), .character("\u{FFFD}"), .character("\u{FFFD}"), .character("a")]
      ),
    ] as [([UInt8], [Key])])
  func invalidUTF8IsReplaced(bytes: [UInt8], expected: [Key]) {
    #expect(keys(bytes) == expected)
  }

  @Test func escapeWaitsForFollowingBytes() {
    var decoder = InputDecoder()
    let first = decoder.decode([0x1B])
    #expect(first == [])
    #expect(decoder.isWaiting)
    let second = decoder.decode(Array("[A".utf8))
    #expect(second == [.up])
    #expect(!decoder.isWaiting)
  }

  @Test func anyBytesLeaveTheDecoderUsable() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
      var decoder = InputDecoder()
      _ = decoder.decode(bytes)
      // Ends any open paste, string or sequence.
      _ = decoder.decode("\u{1B}[201~\u{7}~~~~~~".utf8)
      _ = decoder.endOfBurst()
      let keys = decoder.decode("a".utf8)
      #expect(keys == [.character("a")], "\(bytes)")
    }
  }
}
