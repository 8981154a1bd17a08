import Testing

@testable import Demo

@Suite struct LineEditorTests {
  private func edited(_ keys: [Key], from text: String = "") -> LineEditor {
    var editor = LineEditor()
    editor.set(text)
    for key in keys { _ = editor.handle(key) }
    return editor
  }

  @Test func typedTextIsInsertedBeforeTheCursor() {
    let editor = edited([.character("c"), .left, .character("b"), .home, .character("a"), .end, .character("d")])
    #expect(editor.text == "abcd")
    #expect(editor.cursor == 4)
  }

  @Test(
    arguments: [
      (.backspace, "one tw"), (.control("w"), "one "), (.control("u"), ""), (.control("h"), "one tw"),
      (.delete, "one two"),
      (.control("k"), "one two"),
    ] as [(Key, String)])
  func charactersAreDeleted(key: Key, text: String) {
    #expect(edited([key], from: "one two").text == text)
  }

  @Test func charactersAfterTheCursorAreDeleted() {
    #expect(edited([.home, .delete], from: "abc").text == "bc")
    #expect(edited([.home, .right, .control("k")], from: "abc").text == "a")
    #expect(edited([.alt("b"), .control("u")], from: "one two").text == "two")
  }

  @Test func editingTreatsGraphemeClustersAsCharacters() {
    #expect(edited([.backspace], from: "a👨‍👩‍👧").text == "a")
    #expect(edited([.left, .character("x")], from: "e\u{301}🇩🇪").text == "e\u{301}x🇩🇪")
  }

  @Test(
    arguments: [
      ("SELECT 'a\nb'", "SELECT 'a\nb'"), ("SELECT 1 -- one\n+ 1", "SELECT 1 -- one\n+ 1"), ("a\tb", "a\tb"),
      ("a\rb\r\nc", "a\nb\nc"),
    ])
  func pastingKeepsLineBreaks(paste: String, text: String) {
    #expect(edited([.paste(paste)]).text == text)
  }

  @Test func discardedTextIsRestored() {
    var editor = edited([], from: "SELECT 1")
    editor.discard()
    #expect(editor.text == "")
    _ = editor.handle(.up)
    #expect(editor.text == "SELECT 1")
  }

  @Test func cursorMovesByWord() {
    #expect(edited([.controlLeft, .controlLeft, .character("|")], from: "one two three").text == "one |two three")
    #expect(edited([.home, .controlRight, .character("|")], from: "one two").text == "one| two")
  }

  @Test func acceptedTextIsInTheHistory() {
    var editor = LineEditor()
    for line in ["first", "second", "second"] {
      editor.insert(line)
      _ = editor.accept()
    }
    editor.insert("dra")
    var seen: [String] = []
    for key in [Key.up, .up, .up, .down, .down, .down] {
      _ = editor.handle(key)
      seen.append(editor.text)
    }
    #expect(seen == ["second", "first", "first", "second", "dra", "dra"])
  }

  @Test func movingBeyondTheEndsChangesNothing() {
    #expect(edited([.left, .left, .left, .backspace, .right, .right, .right, .delete], from: "ab").text == "ab")
  }

  @Test func lineLengthIsLimited() {
    #expect(edited([.paste(String(repeating: "x", count: 200_000))]).characters.count == LineEditor.lengthMax)
  }
}
