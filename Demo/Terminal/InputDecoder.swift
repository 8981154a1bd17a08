/// Decodes the bytes from a terminal into keys.
///
/// A sequence may arrive in several reads, split anywhere. States and transitions:
///
///     ground --ESC--> escape --[--> control sequence --final byte--> ground
///       |               |---O--> function key --one byte--> ground
///       |               |---] P ^ _ X--> string --ST, BEL--> ground
///       |               +---anything else: Alt--> ground
///       +--the first byte of several--> UTF-8 --the last one--> ground
///     control sequence 200~ --> paste --201~--> ground
///
/// Invariants:
/// 1. Unknown sequences are discarded as a whole: they never become text.
/// 2. No input makes the decoder grow without bound.
/// 3. Replies of the terminal are not keys: `takeReplies` returns them.
/// 4. A single ESC is a key. The reader reports with `endOfBurst` that nothing follows it.
struct InputDecoder: Sendable {
  private enum State: Equatable, Sendable {
    case ground
    case escape
    case sequence([UInt8])
    case functionKey

    /// A control string, such as a reply: the byte after the ESC, and the contents.
    case string(kind: UInt8, [UInt8])
    case character([UInt8], isAlt: Bool)
    case paste([UInt8])

    /// The bytes of a mouse report, which are not part of a sequence.
    case swallow(count: Int)
  }

  private static let sequenceLengthMax = 64
  private static let stringLengthMax = 256
  static let pasteLengthMax = 100_000
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private var state = State.ground
  private var replies: [TerminalReply] = []

  /// Whether the next byte may decide whether there is a key.
  var isWaiting: Bool { state == .escape }

  mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    for byte in bytes { take(byte, &keys) }
    return keys
  }

  /// Returns the replies since the last call.
  mutating func takeReplies() -> [TerminalReply] {
    defer { replies = [] }
    return replies
  }

  /// Reports that no byte has followed for a while.
  mutating func endOfBurst() -> [Key] {
    guard state == .escape else { return [] }
    state = .ground
    return [.escape]
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .ground: takeFirst(byte, isAlt: false, &keys)
    case .escape: takeAfterEscape(byte, &keys)
    case .sequence(let bytes): takeInSequence(byte, bytes, &keys)
    case .functionKey:
      state = .ground
      if let key = Self.functionKeys[byte] { keys.append(key) }
    case .string(let kind, let bytes): takeInString(byte, kind, bytes)
    case .character(let bytes, let isAlt): takeInCharacter(byte, bytes, isAlt, &keys)
    case .paste(let bytes): takeInPaste(byte, bytes, &keys)
    case .swallow(let count): state = count > 1 ? .swallow(count: count - 1) : .ground
    }
  }

  // MARK: - Characters

  private mutating func takeFirst(_ byte: UInt8, isAlt: Bool, _ keys: inout [Key]) {
    state = .ground
    switch byte {
    case 0x1B: state = .escape
    case 0x0D, 0x0A: keys.append(.enter)
    case 0x09: keys.append(.tab)
    case 0x7F: keys.append(isAlt ? .alt("\u{7F}") : .backspace)
    case 0x08: keys.append(.control("h"))
    case 0x00: keys.append(.control(" "))
    case 0x01..<0x20: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
    case 0x20..<0x7F:
      let character = Character(Unicode.Scalar(byte))
      keys.append(isAlt ? .alt(character) : .character(character))
    case 0xC2..<0xF5: state = .character([byte], isAlt: isAlt)
    // Not the first byte of a character.
    default: keys.append(.character("\u{FFFD}"))
    }
  }

  private mutating func takeInCharacter(_ byte: UInt8, _ bytes: [UInt8], _ isAlt: Bool, _ keys: inout [Key]) {
    guard (0x80..<0xC0).contains(byte) else {
      // The character is incomplete; this byte starts another one.
      keys.append(.character("\u{FFFD}"))
      return takeFirst(byte, isAlt: false, &keys)
    }
    let all = bytes + [byte]
    let count = bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4
    if all.count < count {
      state = .character(all, isAlt: isAlt)
      return
    }
    state = .ground
    for character in String(decoding: all, as: UTF8.self) {
      keys.append(isAlt ? .alt(character) : .character(character))
    }
  }

  private mutating func takeInPaste(_ byte: UInt8, _ bytes: [UInt8], _ keys: inout [Key]) {
    var all = bytes
    all.append(byte)
    if all.suffix(Self.pasteEnd.count) == Self.pasteEnd[...] {
      state = .ground
      all.removeLast(Self.pasteEnd.count)
      keys.append(.paste(String(decoding: all.prefix(Self.pasteLengthMax), as: UTF8.self)))
    } else {
      // Discard bytes beyond the limit, except those that may be part of the end marker.
      if all.count > Self.pasteLengthMax + 4096 { all.removeSubrange(Self.pasteLengthMax..<(all.count - 16)) }
      state = .paste(all)
    }
  }

  // MARK: - Sequences

  private mutating func takeAfterEscape(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "["): state = .sequence([])
    case UInt8(ascii: "O"): state = .functionKey
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "X"):
      state = .string(kind: byte, [])
    case 0x1B: keys.append(.escape)
    default: takeFirst(byte, isAlt: true, &keys)
    }
  }

  private mutating func takeInString(_ byte: UInt8, _ kind: UInt8, _ bytes: [UInt8]) {
    // The string ends with BEL, or with ESC and a backslash.
    let isEscaped = bytes.last == 0x1B
    if byte == 0x07 || (isEscaped && byte == UInt8(ascii: "\\")) {
      state = .ground
      let text = String(decoding: isEscaped ? bytes.dropLast() : bytes, as: UTF8.self)
      guard kind == UInt8(ascii: "]"), let background = Background(reply: text) else { return }
      replies.append(.background(background))
    } else {
      // Too long to be valid; wait for its end.
      let kept = bytes.count < Self.stringLengthMax ? bytes : Array(bytes.prefix(Self.stringLengthMax - 1))
      state = .string(kind: kind, kept + [byte])
    }
  }

  private mutating func takeInSequence(_ byte: UInt8, _ bytes: [UInt8], _ keys: inout [Key]) {
    switch byte {
    case 0x20..<0x40:
      // Too long to be valid; wait for its end.
      state = .sequence(bytes.count < Self.sequenceLengthMax ? bytes + [byte] : bytes)
    case UInt8(ascii: "M") where bytes.isEmpty: state = .swallow(count: 3)
    case UInt8(ascii: "[") where bytes.isEmpty: state = .swallow(count: 1)
    case 0x40..<0x7F:
      state = .ground
      let text = String(decoding: bytes, as: UTF8.self)
      if byte == UInt8(ascii: "~"), text == "200" {
        state = .paste([])
      } else if byte == UInt8(ascii: "c"), text.hasPrefix("?") {
        replies.append(.attributes)
      } else if let key = Self.key(final: byte, parameters: text) {
        keys.append(key)
      }
    // A control character inside a sequence aborts it.
    default: takeFirst(byte, isAlt: false, &keys)
    }
  }

  private static func key(final: UInt8, parameters: String) -> Key? {
    let parts = parameters.split(separator: ";", omittingEmptySubsequences: false)
    let modifier = parts.count > 1 ? Int(parts[1]) ?? 1 : 1
    // In the parameter minus one, bit 2 is Control and bit 1 is Alt.
    let isControl = (modifier - 1) & 6 != 0
    switch final {
    case UInt8(ascii: "~"): return numberedKeys[String(parts[0])]
    case UInt8(ascii: "Z"): return .backTab
    case UInt8(ascii: "C") where isControl: return .controlRight
    case UInt8(ascii: "D") where isControl: return .controlLeft
    default: return parameters.allSatisfy { $0.isNumber || $0 == ";" } ? functionKeys[final] : nil
    }
  }

  private static let functionKeys: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "M"): .enter,
  ]

  private static let numberedKeys: [String: Key] = [
    "1": .home, "7": .home, "4": .end, "8": .end, "3": .delete, "5": .pageUp, "6": .pageDown,
  ]
}
