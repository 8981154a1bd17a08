/// The tokenizer of an FTS5 table: its name, followed by its arguments.
///
/// A tokenizer splits texts into the tokens that are indexed, and can be searched.
///
/// | Tokenizer | Tokens of `Café ÉTÉ running_dogs` |
/// | --- | --- |
/// | `ascii()` | `café`, `ÉtÉ`, `running`, `dogs` |
/// | `unicode61()` | `cafe`, `ete`, `running`, `dogs` |
/// | `porter()` | `cafe`, `et`, `run`, `dog` |
/// | `trigram()` | `caf`, `afé`, `fé `, `é é`, … |
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///   t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove))
///   t.column("content")
/// }
/// ```
///
/// For a tokenizer in Swift, see ``FTS5CustomTokenizer``.
public struct FTS5TokenizerDescriptor: Sendable {
  /// The name of the tokenizer, followed by its arguments.
  public let components: [String]

  /// Creates a descriptor of any tokenizer.
  ///
  /// ```swift
  /// let tokenizer = FTS5TokenizerDescriptor(components: ["unicode61", "remove_diacritics", "0"])
  /// ```
  ///
  /// - Parameter components: The name of the tokenizer, followed by its arguments.
  /// - Precondition: There is at least one component.
  public init(components: [String]) {
    precondition(!components.isEmpty, "FTS5TokenizerDescriptor requires at least one component")
    self.components = components
  }

  /// Splits at all ASCII characters but letters and digits, and ignores the case of ASCII letters.
  ///
  /// - Parameter separators: Additional characters that separate tokens.
  /// - Parameter tokenCharacters: Additional characters that are parts of tokens.
  /// - Returns: The tokenizer.
  public static func ascii(
    separators: Set<Character> = [], tokenCharacters: Set<Character> = []
  ) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: ["ascii"] + options(separators, tokenCharacters))
  }

  /// Reduces the English words of another tokenizer to their stems: `running` matches `runs`.
  ///
  /// - Parameter base: The other tokenizer; nil for SQLite's default, `unicode61`.
  /// - Returns: The tokenizer.
  public static func porter(wrapping base: FTS5TokenizerDescriptor? = nil) -> FTS5TokenizerDescriptor {
    FTS5TokenizerDescriptor(components: ["porter"] + (base?.components ?? []))
  }

  /// Indexes all sequences of three characters, so that a pattern matches any part of a text.
  ///
  /// A part of fewer than three characters is not found. With the default comparison, `LIKE` and `GLOB` conditions on a
  /// column of the table use the index, too.
  ///
  /// ```swift
  /// try db.create(virtualTable: "document", using: FTS5()) { t in
  ///   t.tokenizer = .trigram()
  ///   t.column("content")
  /// }
  /// // SELECT * FROM "document" WHERE "document" MATCH '"quit"'
  /// let rows = try Table("document").matching(FTS5Pattern(matchingPhrase: "quit")).fetchAll(db)    // finds Mosquito
  /// ```
  ///
  /// The tokenizer requires SQLite 3.34. Older libraries throw `no such tokenizer: trigram` when the table is created.
  ///
  /// - Parameter matching: How characters are compared.
  /// - Returns: The tokenizer.
  public static func trigram(
    matching: FTS5.TrigramTokenizerMatching = .caseInsensitive
  ) -> FTS5TokenizerDescriptor {
    var components = ["trigram"]
    switch matching {
    case .caseInsensitive: break
    case .caseInsensitiveRemovingDiacritics: components += ["remove_diacritics", "1"]
    case .caseSensitive: components += ["case_sensitive", "1"]
    }
    return FTS5TokenizerDescriptor(components: components)
  }

  /// Splits at the characters that Unicode considers punctuation or space, and ignores case.
  ///
  /// ```swift
  /// t.tokenizer = .unicode61(diacritics: .remove, tokenCharacters: ["#"])
  /// ```
  ///
  /// - Parameter diacritics: How letters with diacritics are compared.
  /// - Parameter categories: The Unicode categories of the characters of tokens, as in `L* N*`; an empty text for
  ///   SQLite's default.
  /// - Parameter separators: Additional characters that separate tokens.
  /// - Parameter tokenCharacters: Additional characters that are parts of tokens.
  /// - Returns: The tokenizer.
  public static func unicode61(
    diacritics: FTS5.Diacritics = .removeLegacy, categories: String = "", separators: Set<Character> = [],
    tokenCharacters: Set<Character> = []
  ) -> FTS5TokenizerDescriptor {
    var components = ["unicode61"]
    switch diacritics {
    case .removeLegacy: break
    case .keep: components += ["remove_diacritics", "0"]
    case .remove: components += ["remove_diacritics", "2"]
    }
    if !categories.isEmpty { components += ["categories", categories] }
    return FTS5TokenizerDescriptor(components: components + options(separators, tokenCharacters))
  }

  private static func options(_ separators: Set<Character>, _ tokenCharacters: Set<Character>) -> [String] {
    (separators.isEmpty ? [] : ["separators", separators.sortedText])
      + (tokenCharacters.isEmpty ? [] : ["tokenchars", tokenCharacters.sortedText])
  }
}
