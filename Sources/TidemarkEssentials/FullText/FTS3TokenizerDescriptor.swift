/// The tokenizer of an FTS3 or FTS4 table.
///
/// A tokenizer splits texts into the tokens that are indexed, and can be searched.
///
/// | Tokenizer | Tokens of `Café ÉTÉ running_dogs` |
/// | --- | --- |
/// | ``simple`` | `café`, `ÉtÉ`, `running`, `dogs` |
/// | ``porter`` | `café`, `ÉtÉ`, `running_dogs` |
/// | `unicode61()` | `cafe`, `ete`, `running`, `dogs` |
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///   t.tokenizer = .unicode61()
///   t.column("content")
/// }
/// ```
public struct FTS3TokenizerDescriptor: Sendable {
  /// The name of the tokenizer, followed by its arguments.
  let components: [String]

  /// The tokenizer as a module argument.
  var sql: String {
    ([components[0]] + components.dropFirst().map(\.quotedDatabaseIdentifier)).joined(separator: " ")
  }

  private init(_ components: [String]) {
    self.components = components
  }

  /// Splits at all ASCII characters but letters and digits, and ignores the case of ASCII letters.
  public static let simple = FTS3TokenizerDescriptor(["simple"])

  /// Like ``simple``, and reduces English words to their stems: `running` matches `runs`.
  public static let porter = FTS3TokenizerDescriptor(["porter"])

  /// Splits at the characters that Unicode considers punctuation or space, and ignores case.
  ///
  /// ```swift
  /// t.tokenizer = .unicode61(diacritics: .remove, tokenCharacters: ["#"])
  /// ```
  ///
  /// - Parameter diacritics: How letters with diacritics are compared.
  /// - Parameter separators: Additional characters that separate tokens.
  /// - Parameter tokenCharacters: Additional characters that are parts of tokens.
  /// - Returns: The tokenizer.
  public static func unicode61(
    diacritics: FTS3.Diacritics = .removeLegacy, separators: Set<Character> = [],
    tokenCharacters: Set<Character> = []
  ) -> FTS3TokenizerDescriptor {
    var components = ["unicode61"]
    switch diacritics {
    case .removeLegacy: break
    case .keep: components.append("remove_diacritics=0")
    case .remove: components.append("remove_diacritics=2")
    }
    if !separators.isEmpty { components.append("separators=\(separators.sortedText)") }
    if !tokenCharacters.isEmpty { components.append("tokenchars=\(tokenCharacters.sortedText)") }
    return FTS3TokenizerDescriptor(components)
  }
}

extension Set<Character> {
  /// The characters in order.
  var sortedText: String { String(sorted()) }
}
