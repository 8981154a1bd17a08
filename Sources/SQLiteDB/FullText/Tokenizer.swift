/// How a full-text table finds the words of its texts.
public struct Tokenizer: Sendable, CustomStringConvertible {
  /// The name that SQLite knows it by.
  public let name: String

  /// What it is told, as FTS4 writes it.
  public let arguments: [String]

  /// What it is told, name by name and value by value.
  private let options: [(name: String, value: String)]

  private init(_ name: String, _ arguments: [String] = [], options: [(name: String, value: String)] = []) {
    self.name = name
    self.arguments = arguments
    self.options = options
  }

  /// Words of letters and digits of ASCII, without regard to case.
  public static let Simple = Tokenizer("simple")

  /// Words of letters and digits of ASCII, without their English endings.
  public static let Porter = Tokenizer("porter")

  /// Words of letters and digits, without regard to case.
  ///
  /// - parameter removeDiacritics: Whether accents do not count.
  /// - parameter tokenchars: What is a part of a word, too.
  /// - parameter separators: What is no part of a word.
  public static func Unicode61(
    removeDiacritics: Bool? = nil, tokenchars: Set<Character> = [], separators: Set<Character> = []
  ) -> Tokenizer {
    var options: [(name: String, value: String)] = []
    if let removeDiacritics { options.append(("remove_diacritics", removeDiacritics ? "1" : "0")) }
    if !tokenchars.isEmpty { options.append(("tokenchars", String(tokenchars.sorted()))) }
    if !separators.isEmpty { options.append(("separators", String(separators.sorted()))) }
    return Tokenizer("unicode61", options.map { "\($0.name)=\($0.value)".quote() }, options: options)
  }

  /// All parts of three characters, so that any part of a text is found: FTS5 has it.
  ///
  /// - parameter caseSensitive: Whether case counts.
  public static func Trigram(caseSensitive: Bool = false) -> Tokenizer {
    let value = caseSensitive ? "1" : "0"
    return Tokenizer("trigram", ["case_sensitive", value], options: [("case_sensitive", value)])
  }

  /// A tokenizer of the program, or of an extension.
  public static func Custom(_ name: String) -> Tokenizer { Tokenizer(name.quote()) }

  /// The tokenizer as FTS4 is told it.
  public var description: String { ([name] + arguments).joined(separator: " ") }

  /// The tokenizer as FTS5 is told it: one text, when there is more than a name.
  var fts5Description: String {
    if options.isEmpty { return name }
    return ([name] + options.map { "\($0.name) \($0.value.quote("'"))" }).joined(separator: " ").quote("'")
  }
}
