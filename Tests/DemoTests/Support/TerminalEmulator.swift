@testable import Demo

/// A terminal emulator that turns bytes into a screen, and records sequences that the demo should not write.
struct TerminalEmulator {
  let width: Int
  let height: Int
  private(set) var cells: [[Character?]]
  private(set) var modes: Set<Int> = []
  private(set) var isCursorSeen = true
  private(set) var byteCount = 0

  /// The requests of the program, in order.
  private(set) var questions: [String] = []

  /// Sequences that are unknown, or that no program should send.
  private(set) var complaints: [String] = []
  private(set) var cursor = Point(x: 0, y: 0)

  /// The parameters of the current style, and of each cell.
  private(set) var look = "0"
  private(set) var looks: [[String]]

  /// The width of a character: terminals disagree, and the demo must not rely on it.
  var widthOf: (Character) -> Int = { Glyph($0).width }

  private var pending: [UInt8] = []
  private var text = ""

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    cells = Array(repeating: Array(repeating: " ", count: width), count: height)
    looks = Array(repeating: Array(repeating: "0", count: width), count: height)
  }

  var lines: [String] {
    cells.map { row in
      var line = String(row.compactMap { $0 })
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  var screen: String { lines.joined(separator: "\n") }

  mutating func feed(_ bytes: [UInt8]) {
    byteCount += bytes.count
    pending += bytes
    while !pending.isEmpty {
      if pending[0] == 0x1B {
        guard let sequence = completeSequence() else { return }
        pending.removeFirst(sequence.count)
        obey(sequence)
      } else {
        let end = pending.firstIndex(of: 0x1B) ?? pending.count
        // The rest of a character may still arrive.
        let complete = end < pending.count ? end : Self.completeLength(pending)
        if complete == 0 { return }
        put(String(decoding: pending[..<complete], as: UTF8.self))
        pending.removeFirst(complete)
      }
    }
  }

  private func completeSequence() -> [UInt8]? {
    guard pending.count > 1 else { return nil }
    if pending[1] == UInt8(ascii: "]") {
      // A request ends with ESC and a backslash.
      guard let end = pending.dropFirst(2).firstIndex(of: 0x1B), end + 1 < pending.count else { return nil }
      return Array(pending[...(end + 1)])
    }
    guard pending[1] == UInt8(ascii: "[") else { return Array(pending[..<2]) }
    guard let final = pending.dropFirst(2).firstIndex(where: { (0x40..<0x7F).contains($0) }) else { return nil }
    return Array(pending[...final])
  }

  private static func completeLength(_ bytes: [UInt8]) -> Int {
    var end = bytes.count
    while end > 0, end > bytes.count - 4 {
      let byte = bytes[end - 1]
      if byte < 0x80 { return end }
      if byte >= 0xC0 {
        let count = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        return bytes.count - (end - 1) >= count ? bytes.count : end - 1
      }
      end -= 1
    }
    return bytes.count
  }

  private mutating func put(_ text: String) {
    for character in text {
      if character.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }) {
        // Shells end lines; the demo does not.
        if modes.contains(1049) { complaints.append("control character \(Array(character.utf8))") }
        if character == "\r\n" || character == "\n" { cursor = Point(x: 0, y: min(cursor.y + 1, height - 1)) }
        continue
      }
      let width = widthOf(character)
      guard cursor.x + width <= self.width, cursor.y < height else {
        complaints.append("\(character) is written beyond the edge, at \(cursor)")
        continue
      }
      for offset in 0..<width {
        cells[cursor.y][cursor.x + offset] = offset == 0 ? character : nil
        looks[cursor.y][cursor.x + offset] = look
      }
      cursor.x += width
    }
  }

  private mutating func obey(_ sequence: [UInt8]) {
    if sequence.starts(with: "\u{1B}]".utf8) || sequence.elementsEqual("\u{1B}[c".utf8) {
      questions.append(String(decoding: sequence.dropFirst(), as: UTF8.self))
      return
    }
    let text = String(decoding: sequence.dropFirst(2).dropLast(), as: UTF8.self)
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    switch (Character(Unicode.Scalar(sequence[sequence.count - 1])), text.first == "?") {
    case ("H", false): cursor = Point(x: (numbers.count > 1 ? numbers[1] : 1) - 1, y: max(1, numbers[0]) - 1)
    case ("C", false): cursor.x += max(1, numbers[0])
    case ("m", false): look = text
    case ("J", false) where text == "2":
      cells = Array(repeating: Array(repeating: " ", count: width), count: height)
      looks = Array(repeating: Array(repeating: "0", count: width), count: height)
    case ("h", true), ("l", true):
      let mode = Int(text.dropFirst()) ?? 0
      let isOn = sequence.last == UInt8(ascii: "h")
      if isOn { modes.insert(mode) } else { modes.remove(mode) }
      if mode == 25 { isCursorSeen = isOn }
    default: complaints.append("ESC \(String(decoding: sequence.dropFirst(), as: UTF8.self))")
    }
  }
}
