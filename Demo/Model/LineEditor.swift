/// A text that is being written in one line.
///
/// Line breaks that are pasted stay in it, and are shown as pictures: a blank in their place would be another value in
/// a string of SQL, and would make a comment of all that follows one.
struct LineEditor: Equatable, Sendable {
  private(set) var characters: [Character] = []

  /// The cursor stands before the character of this index.
  private(set) var cursor = 0

  /// Lines that were accepted, the last one at the end, and which of them is shown.
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

  /// Takes the line away, and remembers it.
  mutating func accept() -> String {
    let line = text
    if !line.isEmpty, history.last != line { history.append(line) }
    shown = nil
    set("")
    return line
  }

  /// Takes the line away. It comes again with the lines that were accepted.
  mutating func discard() { _ = accept() }

  /// Does what a key says.
  ///
  /// - returns: Whether the key means something here.
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
