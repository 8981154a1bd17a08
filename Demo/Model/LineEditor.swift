/// An editable line of text.
///
/// Pasted line breaks remain in the text, and are shown as control pictures: replacing them with blanks would change
/// string literals, and extend a comment to the end of the text.
struct LineEditor: Equatable, Sendable {
  private(set) var characters: [Character] = []

  /// The index of the character after the cursor.
  private(set) var cursor = 0

  /// The accepted lines, the last one at the end, and the index of the one being shown.
  private var history: [String] = []
  private var shown: Int?
  private var draft: [Character] = []

  static let lengthMax = 100_000

  var text: String { String(characters) }

  mutating func insert(_ text: String) {
    let room = Self.lengthMax - characters.count
    // Terminals paste a line feed as a carriage return.
    let new = text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 }.prefix(room)
    characters.insert(contentsOf: new, at: cursor)
    cursor += new.count
  }

  mutating func set(_ text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  /// Removes the line, and adds it to the history.
  mutating func accept() -> String {
    let line = text
    if !line.isEmpty, history.last != line { history.append(line) }
    shown = nil
    set("")
    return line
  }

  /// Removes the line. It is offered again with the accepted lines.
  mutating func discard() { _ = accept() }

  /// Performs the command of a key.
  ///
  /// - Returns: Whether the key is a command of the editor.
  mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .paste(let text): insert(text)
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .alt("b"), .controlLeft: cursor = wordStart
    case .alt("f"), .controlRight: cursor = wordEnd
    case .backspace, .control("h"): remove(max(0, cursor - 1)..<cursor)
    case .delete: remove(cursor..<min(characters.count, cursor + 1))
    case .control("k"): remove(cursor..<characters.count)
    case .control("u"): remove(0..<cursor)
    case .control("w"), .alt("\u{7F}"): remove(wordStart..<cursor)
    case .up, .control("p"): goBack()
    case .down, .control("n"): goForth()
    default: return false
    }
    return true
  }

  private mutating func remove(_ range: Range<Int>) {
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private var wordStart: Int {
    var index = cursor
    while index > 0, characters[index - 1].isWhitespace { index -= 1 }
    while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = cursor
    while index < characters.count, characters[index].isWhitespace { index += 1 }
    while index < characters.count, !characters[index].isWhitespace { index += 1 }
    return index
  }

  private mutating func goBack() {
    let next = (shown ?? history.count) - 1
    guard next >= 0 else { return }
    if shown == nil { draft = characters }
    shown = next
    set(history[next])
  }

  private mutating func goForth() {
    guard let shown else { return }
    let next = shown + 1
    self.shown = next < history.count ? next : nil
    set(next < history.count ? history[next] : String(draft))
  }
}
