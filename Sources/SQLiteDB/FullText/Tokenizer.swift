/// A tokenizer, which divides the text of a full-text table into words.
public struct Tokenizer: Sendable, CustomStringConvertible {
  /// The name of the tokenizer in SQLite.
  public let name: String

  /// The arguments, in the format of FTS4.
  public let arguments: [String]

  /// The arguments as pairs of a name and a value.
  private let options: [(name: String, value: String)]

  private init(_ name: String, _ arguments: [String] = [], options: [(name: String, value: String)] = []) {
    self.name = name
    self.arguments = arguments
    self.options = options
  }

  /// Words of ASCII letters and digits, case-insensitive.
  public static let Simple = Tokenizer("simple")

  /// Words of ASCII letters and digits, without their English suffixes.
  public static let Porter = Tokenizer("porter")

  /// Returns a tokenizer for words of Unicode letters and digits, case-insensitive.
  ///
  /// ```swift
  /// let tokenizer = Tokenizer.Unicode61(removeDiacritics: true, tokenchars: ["@"])
  /// ```
  ///
  /// - Parameters:
  ///   - removeDiacritics: Whether diacritics are ignored; nil for SQLite's default.
  ///   - tokenchars: Additional characters that belong to words.
  ///   - separators: Additional characters that separate words.
  /// - Returns: The tokenizer.
  public static func Unicode61(
    removeDiacritics: Bool? = nil, tokenchars: Set<Character> = [], separators: Set<Character> = []
  ) -> Tokenizer {
    var options: [(name: String, value: String)] = []
    if let removeDiacritics { options.append(("remove_diacritics", removeDiacritics ? "1" : "0")) }
    if !tokenchars.isEmpty { options.append(("tokenchars", String(tokenchars.sorted()))) }
    if !separators.isEmpty { options.append(("separators", String(separators.sorted()))) }
    return Tokenizer("unicode61", options.map { "\($0.name)=\($0.value)".quote() }, options: options)
  }

  /// Returns a tokenizer for all sequences of three characters, which finds any substring. FTS5 only.
  ///
  /// ```swift
  /// let config = FTS5Config().column(body).tokenizer(.Trigram(caseSensitive: true))
  /// ```
  ///
  /// - Parameter caseSensitive: Whether searches are case-sensitive.
  /// - Returns: The tokenizer.
  public static func Trigram(caseSensitive: Bool = false) -> Tokenizer {
    let value = caseSensitive ? "1" : "0"
    return Tokenizer("trigram", ["case_sensitive", value], options: [("case_sensitive", value)])
  }

  /// Returns a tokenizer that the program or an extension has registered.
  ///
  /// ```swift
  /// let config = FTS4Config().column(body).tokenizer(.Custom("stemmer"))
  /// ```
  ///
  /// - Parameter name: The name of the tokenizer.
  /// - Returns: The tokenizer.
  public static func Custom(_ name: String) -> Tokenizer { Tokenizer(name.quote()) }

  /// The tokenizer in the format of FTS4.
  public var description: String { ([name] + arguments).joined(separator: " ") }

  /// The tokenizer in the format of FTS5. With arguments, it is a quoted text.
  var fts5Description: String {
    if options.isEmpty { return name }
    return ([name] + options.map { "\($0.name) \($0.value.quote("'"))" }).joined(separator: " ").quote("'")
  }
}
