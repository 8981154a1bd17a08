import Testing

@testable import Demo

@Suite struct FrameWriterTests {
  private func grid(_ lines: [String], width: Int = 12) -> Grid {
    var grid = Grid(width: width, height: lines.count)
    for (y, line) in lines.enumerated() { grid.put(line, .text, at: Point(x: 0, y: y), before: width) }
    return grid
  }

  @Test func terminalShowsTheGrid() {
    var writer = FrameWriter(.millions)
    var terminal = TerminalEmulator(width: 12, height: 2)
    terminal.feed(writer.bytes(for: grid(["one", "日本語"]), cursor: nil))
    #expect(terminal.lines == ["one", "日本語"])
    #expect(terminal.complaints == [])
  }

  @Test func unchangedGridWritesNothing() {
    var writer = FrameWriter(.none)
    let first = writer.bytes(for: grid(["one"]), cursor: nil)
    let second = writer.bytes(for: grid(["one"]), cursor: nil)
    #expect(!first.isEmpty)
    #expect(second == [])
  }

  @Test func onlyDifferencesAreWritten() {
    var writer = FrameWriter(.none)
    _ = writer.bytes(for: grid(["count: 41", "the rest"]), cursor: nil)
    let bytes = writer.bytes(for: grid(["count: 42", "the rest"]), cursor: nil)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text == "\u{1B}[?2026h\u{1B}[?25l\u{1B}[1;9H\u{1B}[0m2\u{1B}[0m\u{1B}[?2026l")
  }

  @Test func changingTheRoleRewritesTheCell() {
    var old = Grid(width: 3, height: 1)
    old.put("abc", .text, at: Point(x: 0, y: 0), before: 3)
    var new = old
    new.put("b", .failure, at: Point(x: 1, y: 0), before: 3)
    var writer = FrameWriter(.sixteen)
    _ = writer.bytes(for: old, cursor: nil)
    var terminal = TerminalEmulator(width: 3, height: 1)
    terminal.feed(writer.bytes(for: new, cursor: nil))
    #expect(terminal.looks[0] == ["0", "0;1;31", "0"])
    #expect(terminal.lines == [" b"])
  }

  @Test func cursorIsShownAtItsPosition() {
    var writer = FrameWriter(.none)
    var terminal = TerminalEmulator(width: 12, height: 2)
    terminal.feed(writer.bytes(for: grid(["a", "b"]), cursor: Point(x: 3, y: 1)))
    #expect(terminal.isCursorSeen)
    #expect(terminal.cursor == Point(x: 3, y: 1))
    let same = writer.bytes(for: grid(["a", "b"]), cursor: Point(x: 3, y: 1))
    #expect(same == [])
    terminal.feed(writer.bytes(for: grid(["a", "b"]), cursor: nil))
    #expect(!terminal.isCursorSeen)
  }

  /// Invariant 2, on a terminal with narrow emoji, and on one with very wide ones.
  @Test(arguments: [1, 3])
  func widthDisagreementsLeaveNeighborsCorrect(emojiWidth: Int) {
    var writer = FrameWriter(.none)
    var terminal = TerminalEmulator(width: 12, height: 1)
    terminal.widthOf = { $0.unicodeScalars.contains { $0.value > 0x1F000 } ? emojiWidth : Glyph($0).width }
    for text in ["plain text", "a🍜b end", "a👨‍👩‍👧b🍜c", "ab end"] {
      terminal.feed(writer.bytes(for: grid([text]), cursor: nil))
      let messages = text.filter { $0.isASCII && $0.isLetter }
      #expect(terminal.lines[0].filter { $0.isASCII && $0.isLetter } == messages, "\(terminal.lines)")
      let end = terminal.lines[0].suffix(1)
      #expect(end == text.suffix(1))
    }
  }

  /// Invariant 2: a change left of a border does not affect the border, whatever width the terminal uses.
  @Test(
    arguments: [
      "👍🏽", "👨‍👩‍👧", "❤️", "🇩🇪", "1️⃣", "e\u{301}", "\u{FFFD}", "±", "Ω", "…", "①", "☎", "🫠", "क्षि", "ﷺ",
    ], [1, 2, 3, 4])
  func uncertainCharactersDoNotEraseNeighborsPermanently(character: String, width: Int) throws {
    let shown = Glyph(try #require(character.first)).character
    var writer = FrameWriter(.none)
    var terminal = TerminalEmulator(width: 14, height: 1)
    terminal.widthOf = { $0 == shown ? width : Glyph($0).width }
    // Cells that are equal in two frames are not written.
    for text in ["│ab   y  │z", "│\(character)\(character) y  │z", "│ab   y  │z", "│\(character)a y  │z"] {
      let line = grid([text], width: 14)
      let end = String(line.lines[0].drop { $0 != "y" })
      terminal.feed(writer.bytes(for: line, cursor: nil))
      #expect(terminal.lines[0].hasSuffix(end), "\(terminal.lines)")
      #expect(terminal.lines[0].hasPrefix("│"))
    }
    #expect(terminal.complaints == [])
  }

  @Test func changingTheBackgroundRewritesAllColors() {
    var writer = FrameWriter(.millions, .dark)
    var old = Grid(width: 1, height: 1)
    old.put("a", .failure, at: Point(x: 0, y: 0), before: 1)
    var terminal = TerminalEmulator(width: 1, height: 1)
    terminal.feed(writer.bytes(for: old, cursor: nil))
    #expect(terminal.looks[0] == ["0;1;38;2;255;110;110"])
    writer.use(.light)
    terminal.feed(writer.bytes(for: old, cursor: nil))
    #expect(terminal.looks[0] == ["0;1;38;2;175;0;0"])
  }

  @Test func anyGridIsShownByTheTerminal() {
    var random = SystemRandomNumberGenerator()
    let characters: [Character] = ["a", " ", "日", "🍜", "é", "─", "👍🏽", "\u{1B}"]
    var writer = FrameWriter(.many)
    var terminal = TerminalEmulator(width: 12, height: 3)
    var grid = Grid(width: 12, height: 3)
    for _ in 0..<500 {
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let character = characters.randomElement(using: &random) ?? " "
        let role = Role.allCases.randomElement(using: &random) ?? .text
        let point = Point(x: Int.random(in: 0..<12, using: &random), y: Int.random(in: 0..<3, using: &random))
        grid.put(String(character), role, at: point, before: 12)
      }
      terminal.feed(writer.bytes(for: grid, cursor: nil))
      #expect(terminal.lines == grid.lines)
    }
    #expect(terminal.complaints == [])
  }

  @Test func forgettingTheScreenRewritesEverything() {
    var writer = FrameWriter(.none)
    _ = writer.bytes(for: grid(["one"]), cursor: nil)
    writer.forget()
    var terminal = TerminalEmulator(width: 12, height: 1)
    terminal.feed(writer.bytes(for: grid(["one"]), cursor: nil))
    #expect(terminal.lines == ["one"])
  }
}
