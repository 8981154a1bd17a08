/// The number of cells that terminals use for the scalars of Unicode.
enum GlyphWidths {
  static let zeroWidthJoiner: Unicode.Scalar = "\u{200D}"

  /// Two for wide East Asian characters and emoji, zero for marks and invisible characters, one for all others.
  static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return scalar.value == 0xAD ? 0 : 1 }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // The vowels and final consonants of Hangul are drawn in the cell of the syllable before them.
    if (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FB).contains(scalar.value) { return 0 }
    if isRegionalIndicator(scalar) { return 1 }
    return properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  /// The regional indicators; a pair of them is a flag.
  static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool { (0x1F1E6...0x1F1FF).contains(scalar.value) }

  /// Whether a scalar after an emoji is drawn as part of it: a joiner, a variation selector, a skin tone, or
  /// the second letter of a flag.
  static func makesEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar == zeroWidthJoiner || scalar == "\u{FE0F}" || scalar.properties.isEmojiModifier
      || isRegionalIndicator(scalar)
  }

  /// Whether terminals that are configured for East Asian languages may use two cells for a scalar.
  ///
  /// Box drawing and block characters are excluded: without a certain width for them, no screen could be drawn.
  static func isAmbiguous(_ scalar: Unicode.Scalar) -> Bool { contains(ambiguous, scalar.value) }

  private static func isWide(_ value: UInt32) -> Bool { contains(wide, value) }

  private static func contains(_ ranges: [ClosedRange<UInt32>], _ value: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(value)
  }

  /// The blocks that have characters of Unicode's East Asian width A, in order, and the Arabic ligatures of whole
  /// phrases. Some other characters of these blocks are included; the only cost is some more bytes of output.
  private static let ambiguous: [ClosedRange<UInt32>] = [
    0xA1...0xBF, 0xC6...0xC6, 0xD0...0xFE, 0x101...0x1DC, 0x251...0x2DF, 0x391...0x3C9, 0x401...0x451, 0x2010...0x203E,
    0x2074...0x2084, 0x20AC...0x20AC, 0x2103...0x22BF, 0x2312...0x2312, 0x2460...0x24FF, 0x25A0...0x27BF,
    0x2B50...0x2B59, 0x3248...0x324F, 0xFDFA...0xFDFD, 0xFFFD...0xFFFD,
  ]

  /// The blocks of wide characters, in order: Unicode's East Asian widths W and F.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F251, 0x20000...0x3FFFD,
  ]
}
