/// A valid pattern of a search in FTS3 and FTS4 tables.
///
/// The failable initializers make a pattern of any text, for example of a user's input. They return nil if the text
/// contains no word, or more than 4,095 words that are not a phrase:
///
/// | Initializer | Pattern of `Quick Fox` |
/// | --- | --- |
/// | ``init(matchingAnyTokenIn:)`` | `quick OR fox` |
/// | ``init(matchingAllTokensIn:)`` | `quick fox` |
/// | ``init(matchingAllPrefixesIn:)`` | `quick* fox*` |
/// | ``init(matchingPhrase:)`` | `"quick fox"` |
///
/// ```swift
/// let pattern = FTS3Pattern(matchingAllPrefixesIn: searchText)
/// let books = try Book.matching(pattern).fetchAll(db)
/// ```
public struct FTS3Pattern: Sendable, DatabaseValueConvertible {
  /// The pattern in the syntax of SQLite.
  public let rawPattern: String

  /// Creates a pattern in the syntax of SQLite.
  ///
  /// ```swift
  /// let pattern = try FTS3Pattern(rawPattern: "sqlite AND (swift OR linux)")
  /// ```
  ///
  /// - Parameter rawPattern: The pattern.
  /// - Throws: A ``DatabaseError`` if the pattern is not valid.
  public init(rawPattern: String) throws {
    try PatternCheck.validate(rawPattern, module: "fts3", columns: [])
    self.rawPattern = rawPattern
  }

  /// Creates a pattern that matches texts with at least one of the words of a text.
  ///
  /// - Parameter string: Any text. The pattern is nil if it contains no word.
  public init?(matchingAnyTokenIn string: String) { self.init(.any, string) }

  /// Creates a pattern that matches texts with all the words of a text.
  ///
  /// - Parameter string: Any text. The pattern is nil if it contains no word.
  public init?(matchingAllTokensIn string: String) { self.init(.all, string) }

  /// Creates a pattern that matches texts in which each word of a text is the beginning of a word: for searches while
  /// the user types.
  ///
  /// - Parameter string: Any text. The pattern is nil if it contains no word.
  public init?(matchingAllPrefixesIn string: String) { self.init(.allPrefixes, string) }

  /// Creates a pattern that matches texts with the words of a text, in order and without other words in between.
  ///
  /// - Parameter string: Any text. The pattern is nil if it contains no word.
  public init?(matchingPhrase string: String) { self.init(.phrase, string) }

  /// The greatest number of operands that SQLite accepts: its trees of expressions have a depth of 12.
  private static let maximumWordCount = 4_095

  private init?(_ form: PatternWords.Form, _ text: String) {
    let words = PatternWords(text, endsAtNUL: true)
    // SQLite refuses longer patterns, after a time that is quadratic in their length.
    if form != .phrase, words.words.count > Self.maximumWordCount { return nil }
    guard let pattern = words.pattern(form) else { return nil }
    // Of a very long text, SQLite refuses the pattern.
    try? self.init(rawPattern: pattern)
  }

  /// The pattern as text.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Returns the pattern of a text, or nil if the value is not text, or not a valid pattern.
  ///
  /// - Parameter dbValue: A database value.
  /// - Returns: The pattern.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS3Pattern? {
    guard case .string(let text) = dbValue.storage else { return nil }
    // An invalid pattern is not a pattern: the result is nil.
    return try? FTS3Pattern(rawPattern: text)
  }
}
