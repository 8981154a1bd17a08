/// Turns singular words into plural ones and back.
///
/// The library uses it where a name stands for one thing here and for several there: `belongsTo("author")` finds the
/// table `authors`.
///
/// ```swift
/// Inflections.default.pluralize("player")       // players
/// Inflections.default.singularize("userRoles")  // userRole
/// ```
///
/// Of a name of several words the last one is inflected; digits at the end stay there. Rules that are added later come
/// first.
public struct Inflections: Sendable {
  /// Inflects a word; nil when it does not match.
  package typealias Rule = @Sendable (_ word: String) -> String?

  private var pluralRules: [Rule] = []
  private var singularRules: [Rule] = []
  private var uncountables: Set<String> = []

  /// No rules.
  public init() {}

  private static let shared = Mutex(Inflections.english)

  /// The rules that the library uses: those of English, unless others are given.
  ///
  /// Set them before the first database is used.
  public static var `default`: Inflections {
    get { shared.withLock { $0 } }
    set { shared.exchange(newValue) }
  }

  // MARK: Using rules

  /// The plural of a word, or of the last word of a name.
  ///
  /// ```swift
  /// Inflections.default.pluralize("city")    // cities
  /// Inflections.default.pluralize("user2")   // users2
  /// ```
  public func pluralize(_ string: String) -> String { inflect(string, pluralRules) }

  /// The singular of a word, or of the last word of a name.
  public func singularize(_ string: String) -> String { inflect(string, singularRules) }

  private func inflect(_ string: String, _ rules: [Rule]) -> String {
    let end = string.lastIndex { !$0.isNumber }.map(string.index(after:)) ?? string.startIndex
    let start = Self.startOfLastWord(in: string[..<end])
    let word = String(string[start..<end])
    guard !word.isEmpty, !uncountables.contains(word.lowercased()) else { return string }
    for rule in rules {
      if let inflected = rule(word) { return string[..<start] + inflected + string[end...] }
    }
    return string
  }

  /// A word begins at a capital letter behind a small one, and behind what is neither a letter nor a digit.
  private static func startOfLastWord(in string: Substring) -> String.Index {
    var start = string.startIndex
    var previous: Character?
    for (index, character) in zip(string.indices, string) {
      if let previous, !(previous.isLetter || previous.isNumber) || (character.isUppercase && !previous.isUppercase) {
        start = index
      }
      previous = character
    }
    return start
  }

  // MARK: Giving rules

  /// Adds a rule for plurals.
  package mutating func addPlural(_ rule: @escaping Rule) { pluralRules.insert(rule, at: 0) }

  /// Adds a rule for singulars.
  package mutating func addSingular(_ rule: @escaping Rule) { singularRules.insert(rule, at: 0) }

  /// Adds words whose plural is the same.
  public mutating func uncountableWords(_ words: [String]) {
    uncountables.formUnion(words.map { $0.lowercased() })
  }

  /// Adds an ending with its plural, in both directions: `person` and `people` are those of `salesperson`, too.
  public mutating func irregularSuffix(_ singular: String, _ plural: String) {
    precondition(!singular.isEmpty && !plural.isEmpty, "An ending has at least one letter")
    for end in [singular, plural] {
      addPlural { Self.replace(end, at: $0, by: plural) }
      addSingular { Self.replace(end, at: $0, by: singular) }
    }
  }

  private static func replace(_ end: String, at word: String, by other: String) -> String? {
    guard word.lowercased().hasSuffix(end.lowercased()) else { return nil }
    let start = word.dropLast(end.count)
    // The first letter is kept as it is, when both begin with the same.
    let letter = word.dropFirst(start.count).prefix(1)
    return letter.lowercased() == other.prefix(1).lowercased()
      ? String(start + letter + other.dropFirst()) : start + other
  }
}
