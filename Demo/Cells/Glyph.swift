/// A character in a form that a terminal can show, and the number of cells it covers.
///
/// Invariants:
/// 1. No glyph controls the terminal: control characters are shown as Unicode's control pictures, and characters that
///    only change how others are drawn (direction marks, isolated joiners) are shown as a replacement character.
/// 2. A glyph covers at least one cell: an isolated combining mark is shown as a replacement character.
/// 3. Terminals disagree on some widths, such as the widths of emoji, of clusters of several scalars, and of characters
///    that East Asian fonts draw wide. Such glyphs have an uncertain width, and `FrameWriter` does not rely on it.
struct Glyph: Equatable, Sendable {
  let character: Character
  let width: Int

  /// Whether all terminals give the glyph this width.
  let isSure: Bool

  static let replacement = Glyph("\u{FFFD}", width: 1, isSure: false)

  /// The number of combining marks that are kept on one character.
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
    // Box drawing and block characters, which are frequent on a screen.
    if (0x2500..<0x25A0).contains(scalar.value) {
      self.init(Character(scalar), width: 1)
      return
    }
    let width = GlyphWidths.width(of: scalar)
    // Many terminals are older than some emoji.
    let isSure = !(scalar.properties.isEmoji || scalar.value >= 0x1F000 || GlyphWidths.isAmbiguous(scalar))
    self = width == 0 ? .replacement : Glyph(Character(scalar), width: width, isSure: isSure)
  }

  private init(cluster scalars: Character.UnicodeScalarView) {
    let allowed = scalars.filter(Self.isAllowedInCluster).prefix(Self.scalarCountMax)
    // Removing scalars can split one character into several.
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

  /// The replacement for a character that must not reach the terminal.
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
  /// Unicode's control picture for a control character.
  fileprivate func picture(offset: UInt32) -> Unicode.Scalar { Unicode.Scalar(0x2400 + offset) ?? "\u{FFFD}" }
}

extension String {
  /// The number of cells that a text covers.
  var width: Int { isPrintableASCII ? utf8.count : reduce(0) { $0 + Glyph($1).width } }

  /// Whether each byte is a character of one cell. This holds for most texts.
  private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

  /// Returns the text, cut and ended with an ellipsis if it covers more than the given number of cells.
  func cut(to widthMax: Int) -> String {
    // A character has at least one byte for each cell that it covers.
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
  /// Returns the text without characters that control a terminal.
  var visible: String { String(map { Glyph($0).character }) }
}
