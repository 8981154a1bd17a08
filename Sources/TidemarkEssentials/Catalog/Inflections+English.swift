extension Inflections {
  /// The rules of English.
  static let english: Inflections = {
    var inflections = Inflections()
    for (pattern, template) in pluralEndings.reversed() { inflections.addPlural(rule(pattern, template)) }
    for (pattern, template) in singularEndings.reversed() { inflections.addSingular(rule(pattern, template)) }
    for (singular, plural) in irregularEndings { inflections.irregularSuffix(singular, plural) }
    inflections.uncountableWords([
      "equipment", "fish", "information", "jeans", "metadata", "money", "news", "police", "rice", "series", "sheep",
      "species",
    ])
    return inflections
  }()

  /// What a pattern finds, in letters of any case, is replaced by a text in which `$1` stands for its first group.
  private static func rule(_ pattern: String, _ template: String) -> Rule {
    // Patterns may not be used by several threads at once.
    let expression: Mutex<Regex<AnyRegexOutput>>
    do {
      expression = Mutex(try Regex(pattern).ignoresCase())
    } catch {
      preconditionFailure("The pattern \(pattern) is not a regular expression: \(error)")
    }
    return { word in
      expression.withLock { expression in
        guard let match = word.firstMatch(of: expression) else { return nil }
        let group = match.output.count > 1 ? match.output[1].substring.map(String.init) ?? "" : ""
        let parts = template.split(separator: "$1", omittingEmptySubsequences: false)
        return word[..<match.range.lowerBound] + parts.joined(separator: group) + word[match.range.upperBound...]
      }
    }
  }

  // The first pattern that matches counts.
  private static let pluralEndings = [
    ("(quiz)$", "$1zes"),
    ("^(ox)$", "$1en"),
    ("^(oxen)$", "$1"),
    ("^(m|l)(?:ouse|ice)$", "$1ice"),
    ("(matr|vert|ind)(?:ix|ex)$", "$1ices"),
    ("(x|ch|ss|sh)$", "$1es"),
    ("([^aeiouy]|qu)y$", "$1ies"),
    ("(\(fe))fe$", "$1ves"),
    ("(\(f))f$", "$1ves"),
    ("sis$", "ses"),
    ("([ti])(?:um|a)$", "$1a"),
    ("(buffal|her|potat|tomat)o$", "$1oes"),
    ("(bu)s$", "$1ses"),
    ("(alias|status)$", "$1es"),
    ("(octop|vir)(?:us|i)$", "$1i"),
    ("^(ax|test)is$", "$1es"),
    ("s$", "s"),
    ("$", "s"),
  ]

  private static let singularEndings = [
    ("(database)s$", "$1"),
    ("(quiz)zes$", "$1"),
    ("(matr)ices$", "$1ix"),
    ("(vert|ind)ices$", "$1ex"),
    ("^(ox)en", "$1"),
    ("(alias|status)(?:es)?$", "$1"),
    ("(octop|vir)(?:us|i)$", "$1us"),
    ("^(a)x[ie]s$", "$1xis"),
    ("(cris|test)(?:is|es)$", "$1is"),
    ("(shoe)s$", "$1"),
    ("(o)es$", "$1"),
    ("(bus)(?:es)?$", "$1"),
    ("^(m|l)ice$", "$1ouse"),
    ("(x|ch|ss|sh)es$", "$1"),
    ("(m)ovies$", "$1ovie"),
    ("([^aeiouy]|qu)ies$", "$1y"),
    ("(\(fe))ves$", "$1fe"),
    ("(\(f))ves$", "$1f"),
    ("(analy|ba|diagno|parenthe|progno|synop|the)(?:sis|ses)$", "$1sis"),
    ("([ti])a$", "$1um"),
    ("(ss)$", "$1"),
    ("s$", ""),
  ]

  private static let irregularEndings = [
    ("person", "people"), ("man", "men"), ("human", "humans"), ("german", "germans"), ("roman", "romans"),
    ("child", "children"), ("sex", "sexes"), ("move", "moves"), ("zombie", "zombies"), ("foot", "feet"),
    ("tooth", "teeth"), ("goose", "geese"),
  ]

  // Of most words in -f and -fe the plural ends in -s: of these it does not.
  private static let fe = "^li|afterli|^wi|housewi|midwi|^kni|penkni"
  private static let f = "^cal|^el|^hal|behal|^lea|^loa|^sel|sel|^shea|^shel|bookshel|^thie|^wol|^scar|^dwar|^whar"
}
