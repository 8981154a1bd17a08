/// A pattern operator of SQLite that a formula may contain.
enum TextPattern: String, Sendable {
  case like
  case glob

  /// The result for the value of a column and a pattern.
  ///
  /// Where `PRAGMA case_sensitive_like` decides, it is unknown.
  func outcome(_ value: DatabaseValue, matching pattern: DatabaseValue) -> RowFormula.Outcome {
    // If SQLite was built so that blobs never match, not even NULL and a blob have the result NULL.
    if value.isBlob || pattern.isBlob { return .unknown }
    if value.isNull || pattern.isNull { return .null }
    guard let text = value.exactText, let pattern = pattern.exactText else { return .unknown }
    switch self {
    case .glob:
      // A set of characters is not analysed.
      if pattern.utf8.contains(UInt8(ascii: "[")) { return .unknown }
      return Wildcards(many: "*", one: "?").matches(text, pattern).map { .integer($0 ? 1 : 0) } ?? .unknown
    case .like:
      switch Wildcards(many: "%", one: "_", ignoresCase: true).matches(text, pattern) {
      case false?: return .integer(0)
      case true?:
        return Wildcards(many: "%", one: "_").matches(text, pattern) == true ? .integer(1) : .unknown
      case nil: return .unknown
      }
    }
  }

  /// The characters of a pattern that stand for any characters, and for any single one.
  private struct Wildcards {
    let many: UInt8
    let one: UInt8
    let ignoresCase: Bool

    /// The maximum number of compared bytes: the committing thread waits.
    private static var stepCountMax: Int { 4_000 }

    init(many: Unicode.Scalar, one: Unicode.Scalar, ignoresCase: Bool = false) {
      (self.many, self.one, self.ignoresCase) = (UInt8(ascii: many), UInt8(ascii: one), ignoresCase)
    }

    /// Whether a text matches a pattern; nil if this takes too long to find out.
    func matches(_ text: String, _ pattern: String) -> Bool? {
      var (text, pattern) = (text, pattern)
      return text.withUTF8 { text in pattern.withUTF8 { pattern in matches(text, pattern) } }
    }

    private func matches(_ text: UnsafeBufferPointer<UInt8>, _ pattern: UnsafeBufferPointer<UInt8>) -> Bool? {
      var (position, patternPosition, stepCount) = (0, 0, 0)
      // After the last wildcard for many characters, and the first character that it does not stand for.
      var retry: (pattern: Int, text: Int)?
      while position < text.count {
        stepCount += 1
        if stepCount > Self.stepCountMax { return nil }
        let wanted = patternPosition < pattern.count ? pattern[patternPosition] : nil
        if wanted == many {
          patternPosition += 1
          retry = (patternPosition, position)
        } else if wanted == one, !Self.continues(text[position]) {
          patternPosition += 1
          repeat { position += 1 } while position < text.count && Self.continues(text[position])
        } else if let wanted, wanted != one, areEqual(wanted, text[position]) {
          patternPosition += 1
          position += 1
        } else if let last = retry {
          retry = (last.pattern, last.text + 1)
          (patternPosition, position) = (last.pattern, last.text + 1)
        } else {
          return false
        }
      }
      return pattern[patternPosition...].allSatisfy { $0 == many }
    }

    private func areEqual(_ one: UInt8, _ other: UInt8) -> Bool {
      one == other || ignoresCase && one.asciiLowercased == other.asciiLowercased
    }

    /// Whether a byte continues a character.
    private static func continues(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
  }
}

extension UInt8 {
  fileprivate var asciiLowercased: UInt8 { 65...90 ~= self ? self | 32 : self }
}

extension DatabaseValue {
  fileprivate var isBlob: Bool { if case .blob = storage { true } else { false } }

  /// The text that SQLite compares with a pattern; nil if it is not certain, or if it is long: the committing thread
  /// waits.
  fileprivate var exactText: String? {
    switch storage {
    case .string(let text): text.utf8.count <= 2_000 && text.isExact ? text : nil
    case .int64(let integer): String(integer)
    // The text of a number depends on the version of SQLite, and whether blobs are texts on its build.
    case .null, .double, .blob: nil
    }
  }
}
