/// A character as a terminal can show it, and how many places it takes.
///
/// Laws:
/// 1. What a terminal would obey is never shown: control characters become pictures of themselves, characters that only
///    change how others look (direction, invisible joiners on their own) become a replacement.
/// 2. A character takes one place or more: a mark that would sit on its neighbour is shown as a replacement.
/// 3. Terminals do not agree on some widths: those of emoji, of clusters of several scalars, and of characters that
///    East Asian fonts draw wide. These glyphs are marked as not sure, and `FrameWriter` does not rely on their width.
struct Glyph: Equatable, Sendable {
  let character: Character
  let width: Int

  /// Whether all terminals give it this width.
  let isSure: Bool

  static let replacement = Glyph("\u{FFFD}", width: 1, isSure: false)

  /// More marks than that on one character are left out.
  private static let scalarCountMax = 12

  private init(_ character: Character, width: Int, isSure: Bool = true) {
    self.character = character
    self.width = width
    self.isSure = isSure
  }

  init(_ character: Character) {
    if let ascii = character.asciiValue, ascii >= 0x20, ascii < 0x7F, character != "\r\n" {
      self.init(character, width: 1)
      return
    }
    let scalars = character.unicodeScalars
    let first = scalars[scalars.startIndex]
    if let picture = Self.picture(of: first) {
      self = picture
    } else if scalars.index(after: scalars.startIndex) == scalars.endIndex {
      self.init(first)
    } else {
      self.init(cluster: scalars)
    }
  }

  private init(_ scalar: Unicode.Scalar) {
    // Lines and blocks, of which there are many on a screen.
    if (0x2500..<0x25A0).contains(scalar.value) {
      self.init(Character(scalar), width: 1)
      return
    }
    let width = GlyphWidths.width(of: scalar)
    // Emoji are younger than many a terminal.
    let isSure = !(scalar.properties.isEmoji || scalar.value >= 0x1F000 || GlyphWidths.isAmbiguous(scalar))
    self = width == 0 ? .replacement : Glyph(Character(scalar), width: width, isSure: isSure)
  }

  private init(cluster scalars: Character.UnicodeScalarView) {
    let allowed = scalars.filter(Self.isAllowedInCluster).prefix(Self.scalarCountMax)
    // What was one character may be several without what was left out.
    guard let character = String(String.UnicodeScalarView(allowed)).first,
      let base = character.unicodeScalars.first, GlyphWidths.width(of: base) > 0
    else {
      self = .replacement
      return
    }
    let kept = character.unicodeScalars
    let isEmoji = base.properties.isEmoji || GlyphWidths.isRegionalIndicator(base)
    let isDrawnAsEmoji = isEmoji && kept.dropFirst().contains(where: GlyphWidths.makesEmoji)
    let width = isDrawnAsEmoji ? 2 : kept.reduce(0) { $0 + GlyphWidths.width(of: $1) }
    self.init(character, width: width, isSure: false)
  }

  private static func isAllowedInCluster(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == GlyphWidths.zeroWidthJoiner { return true }
    return scalar.properties.generalCategory != .format && picture(of: scalar) == nil
  }

  /// What is shown for a character that must not get through.
  private static func picture(of scalar: Unicode.Scalar) -> Glyph? {
    switch scalar.value {
    case 0..<0x20: return Glyph(Character(Unicode.Scalar(UInt8(0)).picture(offset: scalar.value)), width: 1)
    case 0x7F: return Glyph("\u{2421}", width: 1)
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: return .replacement
    default: return nil
    }
  }
}

extension Unicode.Scalar {
  /// The picture that Unicode has for a control character.
  fileprivate func picture(offset: UInt32) -> Unicode.Scalar { Unicode.Scalar(0x2400 + offset) ?? "\u{FFFD}" }
}

extension String {
  /// How many places a text takes.
  var width: Int { isPrintableASCII ? utf8.count : reduce(0) { $0 + Glyph($1).width } }

  /// Whether each byte is a character of one place. Most texts are.
  private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

  /// The text, with an ellipsis at its end when it takes more than some number of places.
  func cut(to widthMax: Int) -> String {
    // A character has at least one byte for each place that it takes.
    if utf8.count <= widthMax { return self }
    if widthMax <= 0 { return "" }
    if isPrintableASCII { return prefix(widthMax - 1) + "…" }
    var kept = ""
    var used = 0
    var widthBeforeEllipsis = ""
    for character in self {
      let width = Glyph(character).width
      if used + width > widthMax { return widthBeforeEllipsis + "…" }
      kept.append(character)
      used += width
      if used <= widthMax - 1 { widthBeforeEllipsis = kept }
    }
    return kept
  }
}

extension StringProtocol {
  /// The text without anything that a terminal would obey.
  var visible: String { String(map { Glyph($0).character }) }
}
