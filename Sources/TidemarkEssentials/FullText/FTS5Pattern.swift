/// A valid pattern of a search in FTS5 tables.
///
/// The failable initializers make a pattern of any text, for example of what a user has typed. They return nil if the
/// text contains no word:
///
/// | Initializer | Pattern of `Quick Fox` |
/// | --- | --- |
/// | ``init(matchingAnyTokenIn:)`` | `quick OR fox` |
/// | ``init(matchingAllTokensIn:)`` | `quick fox` |
/// | ``init(matchingAllPrefixesIn:)`` | `quick* fox*` |
/// | ``init(matchingPhrase:)`` | `"quick fox"` |
/// | ``init(matchingPrefixPhrase:)`` | `^"quick fox"` |
///
/// ```swift
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: searchText)
/// let books = try Book.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
public struct FTS5Pattern: Sendable, DatabaseValueConvertible {
  /// The pattern in the syntax of SQLite.
  public let rawPattern: String

  /// Creates a pattern in the syntax of SQLite.
  ///
  /// ```swift
  /// let pattern = try FTS5Pattern(rawPattern: "title: sqlite NOT linux", allowedColumns: ["title", "body"])
  /// ```
  ///
  /// - Parameter rawPattern: The pattern.
  /// - Parameter allowedColumns: The columns that the pattern can name. See also
  ///   ``Database/makeFTS5Pattern(rawPattern:forTable:)``.
  /// - Throws: A ``DatabaseError`` if the pattern is not valid, or names another column.
  public init(rawPattern: String, allowedColumns: [String] = []) throws {
    try PatternCheck.validate(rawPattern, module: "fts5", columns: allowedColumns)
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

  /// Creates a pattern that matches texts that begin with the words of a text, in order.
  ///
  /// - Parameter string: Any text. The pattern is nil if it contains no word.
  public init?(matchingPrefixPhrase string: String) { self.init(.prefixPhrase, string) }

  private init?(_ form: PatternWords.Form, _ text: String) {
    guard let pattern = PatternWords(text, endsAtNUL: false).pattern(form) else { return nil }
    // Of a very long text, SQLite refuses the pattern.
    try? self.init(rawPattern: pattern)
  }

  /// The pattern as text.
  public var databaseValue: DatabaseValue { rawPattern.databaseValue }

  /// Returns the pattern of a text, or nil if the value is not text, or not a valid pattern without columns.
  ///
  /// - Parameter dbValue: A database value.
  /// - Returns: The pattern.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FTS5Pattern? {
    guard case .string(let text) = dbValue.storage else { return nil }
    // An invalid pattern is not a pattern: the result is nil.
    return try? FTS5Pattern(rawPattern: text)
  }
}

extension Database {
  /// Returns a pattern that can name the columns of a table.
  ///
  /// ```swift
  /// let pattern = try db.makeFTS5Pattern(rawPattern: "title: sqlite", forTable: "book")
  /// ```
  ///
  /// - Parameter rawPattern: The pattern in the syntax of SQLite.
  /// - Parameter table: The name of an FTS5 table.
  /// - Returns: The pattern.
  /// - Throws: A ``DatabaseError`` if the table does not exist, or if the pattern is not valid or names another column.
  public func makeFTS5Pattern(rawPattern: String, forTable table: String) throws -> FTS5Pattern {
    try FTS5Pattern(rawPattern: rawPattern, allowedColumns: columns(in: table).map(\.name))
  }
}
