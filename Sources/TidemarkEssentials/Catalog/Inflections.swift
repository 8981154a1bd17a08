/// Rules that convert words between singular and plural.
///
/// The library uses inflections where a name is singular in one place and plural in another. For example,
/// `belongsTo("author")` finds the table `authors`.
///
/// ```swift
/// Inflections.default.pluralize("player")       // players
/// Inflections.default.singularize("userRoles")  // userRole
/// ```
///
/// In a name of several words, the last word is inflected, and trailing digits are preserved. Rules that are added
/// later take precedence.
public struct Inflections: Sendable {
  /// A rule that returns the inflected word, or nil if it does not match.
  package typealias Rule = @Sendable (_ word: String) -> String?

  private var pluralRules: [Rule] = []
  private var singularRules: [Rule] = []
  private var uncountables: Set<String> = []

  /// Creates inflections without rules.
  public init() {}

  private static let shared = Mutex(Shared(inflections: .english))

  /// The rules that the library uses. By default, these are the rules of English.
  ///
  /// Change them before the program uses its first database.
  public static var `default`: Inflections {
    get { shared.withLock { $0.inflections } }
    set { shared.exchange(Shared(inflections: newValue)) }
  }

  /// Returns the plural of a name, by the default rules.
  static func defaultPlural(_ name: String) -> String { shared.withLock { $0.inflected(name, isPlural: true) } }

  /// Returns the singular of a name, by the default rules.
  static func defaultSingular(_ name: String) -> String { shared.withLock { $0.inflected(name, isPlural: false) } }

  /// Rules, and names that they have inflected: requests inflect the same few names again and again.
  private struct Shared {
    let inflections: Inflections
    private var singulars: [String: String] = [:]
    private var plurals: [String: String] = [:]

    private static let countMax = 256

    init(inflections: Inflections) { self.inflections = inflections }

    mutating func inflected(_ name: String, isPlural: Bool) -> String {
      func inflect() -> String { isPlural ? inflections.pluralize(name) : inflections.singularize(name) }
      // Strings that are equal under Unicode normalization are different names in SQL.
      guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return inflect() }
      if let known = isPlural ? plurals[name] : singulars[name] { return known }
      let inflected = inflect()
      if singulars.count + plurals.count >= Self.countMax { (singulars, plurals) = ([:], [:]) }
      if isPlural { plurals[name] = inflected } else { singulars[name] = inflected }
      return inflected
    }
  }

  // MARK: Using rules

  /// Returns the plural of a word, or of the last word of a name.
  ///
  /// ```swift
  /// Inflections.default.pluralize("city")    // cities
  /// Inflections.default.pluralize("user2")   // users2
  /// ```
  ///
  /// - Parameter string: A word, or a name of several words.
  public func pluralize(_ string: String) -> String { inflect(string, pluralRules) }

  /// Returns the singular of a word, or of the last word of a name.
  ///
  /// ```swift
  /// Inflections.default.singularize("cities")   // city
  /// ```
  ///
  /// - Parameter string: A word, or a name of several words.
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

  /// A word starts at an upper-case letter after a lower-case letter, and after a character that is neither a letter
  /// nor a digit.
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

  /// Adds words whose singular and plural are the same.
  ///
  /// ```swift
  /// var inflections = Inflections.default
  /// inflections.uncountableWords(["software"])
  /// ```
  ///
  /// - Parameter words: The words. Case is ignored.
  public mutating func uncountableWords(_ words: [String]) {
    uncountables.formUnion(words.map { $0.lowercased() })
  }

  /// Adds an irregular plural, which applies to all words with the same ending.
  ///
  /// For example, the suffix of `person` and `people` also inflects `salesperson`.
  ///
  /// ```swift
  /// var inflections = Inflections.default
  /// inflections.irregularSuffix("cactus", "cacti")
  /// ```
  ///
  /// - Parameter singular: The ending of the singular. It must not be empty.
  /// - Parameter plural: The ending of the plural. It must not be empty.
  public mutating func irregularSuffix(_ singular: String, _ plural: String) {
    precondition(!singular.isEmpty && !plural.isEmpty, "The endings must not be empty")
    for end in [singular, plural] {
      addPlural { Self.replace(end, at: $0, by: plural) }
      addSingular { Self.replace(end, at: $0, by: singular) }
    }
  }

  private static func replace(_ end: String, at word: String, by other: String) -> String? {
    guard word.lowercased().hasSuffix(end.lowercased()) else { return nil }
    let start = word.dropLast(end.count)
    // If both endings start with the same letter, its case is preserved.
    let letter = word.dropFirst(start.count).prefix(1)
    return letter.lowercased() == other.prefix(1).lowercased()
      ? String(start + letter + other.dropFirst()) : start + other
  }
}
