public import Foundation

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
  private struct Rule: Sendable {
    var pattern: NSRegularExpression
    var template: String
  }

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
    set { shared.withLock { $0 = newValue } }
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
    let range = NSRange(word.startIndex..., in: word)
    guard let rule = rules.first(where: { $0.pattern.firstMatch(in: word, range: range) != nil }) else { return string }
    let inflected = rule.pattern.stringByReplacingMatches(in: word, range: range, withTemplate: rule.template)
    return string[..<start] + inflected + string[end...]
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
  ///
  /// - parameter pattern: A regular expression that the end of a word matches.
  /// - parameter template: What takes the place of the match; `$1` stands for its first group.
  public mutating func plural(
    _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
  ) {
    pluralRules.insert(Self.rule(pattern, options, template), at: 0)
  }

  /// Adds a rule for singulars.
  ///
  /// - parameter pattern: A regular expression that the end of a word matches.
  /// - parameter template: What takes the place of the match; `$1` stands for its first group.
  public mutating func singular(
    _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
  ) {
    singularRules.insert(Self.rule(pattern, options, template), at: 0)
  }

  /// Adds words whose plural is the same.
  public mutating func uncountableWords(_ words: [String]) {
    uncountables.formUnion(words.map { $0.lowercased() })
  }

  /// Adds an ending with its plural, in both directions: `person` and `people` are those of `salesperson`, too.
  public mutating func irregularSuffix(_ singular: String, _ plural: String) {
    precondition(!singular.isEmpty && !plural.isEmpty, "An ending has at least one letter")
    // The first letter is kept as it is, when both begin with the same.
    if singular.prefix(1).lowercased() == plural.prefix(1).lowercased() {
      addIrregular("(\(singular.prefix(1)))", "$1", singular.dropFirst(), plural.dropFirst())
    } else {
      addIrregular("", "", singular[...], plural[...])
    }
  }

  private mutating func addIrregular(
    _ pattern: String, _ template: String, _ singularEnd: Substring, _ pluralEnd: Substring
  ) {
    func match(_ end: Substring) -> String { pattern + NSRegularExpression.escapedPattern(for: String(end)) + "$" }
    for end in [singularEnd, pluralEnd] {
      plural(match(end), template + pluralEnd)
      singular(match(end), template + singularEnd)
    }
  }

  private static func rule(_ pattern: String, _ options: NSRegularExpression.Options, _ template: String) -> Rule {
    do {
      return Rule(pattern: try NSRegularExpression(pattern: pattern, options: options), template: template)
    } catch {
      preconditionFailure("The pattern \(pattern) of an inflection is not a regular expression: \(error)")
    }
  }
}
