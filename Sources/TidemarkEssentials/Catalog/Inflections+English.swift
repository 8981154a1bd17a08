extension Inflections {
  /// The rules of English.
  static let english: Inflections = {
    var inflections = Inflections()
    inflections.addPlural(rule(pluralEndings))
    inflections.addSingular(rule(singularEndings))
    for (singular, plural) in irregularEndings { inflections.irregularSuffix(singular, plural) }
    inflections.uncountableWords([
      "equipment", "fish", "information", "jeans", "metadata", "money", "news", "police", "rice", "series", "sheep",
      "species",
    ])
    return inflections
  }()

  /// Returns a rule that applies the first ending that matches the word.
  private static func rule(_ endings: [WordEnding]) -> Rule {
    { word in
      let lowercased = word.lowercased()
      for ending in endings {
        if let length = ending.length(in: lowercased) { return word.dropLast(length) + ending.replacement }
      }
      return nil
    }
  }

  private static let pluralEndings: [WordEnding] = [
    WordEnding(["quiz"], "", "zes"),
    WordEnding(["^ox"], "", "en"),
    WordEnding(["^oxen"], "", ""),
    WordEnding(["^m", "^l"], "ouse", "ice"),
    WordEnding(["^m", "^l"], "ice", "ice"),
    WordEnding(["matr", "vert", "ind"], "ix", "ices"),
    WordEnding(["matr", "vert", "ind"], "ex", "ices"),
    WordEnding(["x", "ch", "ss", "sh"], "", "es"),
    WordEnding(["C", "qu"], "y", "ies"),
    WordEnding(fe, "fe", "ves"),
    WordEnding(f, "f", "ves"),
    WordEnding(["s"], "is", "es"),
    WordEnding(["t", "i"], "um", "a"),
    WordEnding(["t", "i"], "a", "a"),
    WordEnding(["buffalo", "hero", "tomato"], "", "es"),
    WordEnding(["bus", "alias", "status"], "", "es"),
    WordEnding(["octop", "vir"], "us", "i"),
    WordEnding(["octop", "vir"], "i", "i"),
    WordEnding(["^ax", "^test"], "is", "es"),
    WordEnding(["s"], "", ""),
    WordEnding([""], "", "s"),
  ]

  private static let singularEndings: [WordEnding] = [
    WordEnding(["database"], "s", ""),
    WordEnding(["quiz"], "zes", ""),
    WordEnding(["matr"], "ices", "ix"),
    WordEnding(["vert", "ind"], "ices", "ex"),
    WordEnding(["^ox"], "en", ""),
    WordEnding(["alias", "status", "bus"], "es", ""),
    WordEnding(["alias", "status", "bus"], "", ""),
    WordEnding(["octop", "vir"], "i", "us"),
    WordEnding(["octop", "vir"], "us", "us"),
    WordEnding(["^ax", "cris", "test"], "is", "is"),
    WordEnding(["^ax", "cris", "test"], "es", "is"),
    WordEnding(["shoe"], "s", ""),
    WordEnding(["o"], "es", ""),
    WordEnding(["^m", "^l"], "ice", "ouse"),
    WordEnding(["x", "ch", "ss", "sh"], "es", ""),
    WordEnding(["movie"], "s", ""),
    WordEnding(["C", "qu"], "ies", "y"),
    WordEnding(fe, "ves", "fe"),
    WordEnding(f, "ves", "f"),
    WordEnding(["analy", "ba", "diagno", "parenthe", "progno", "synop", "the"], "sis", "sis"),
    WordEnding(["analy", "ba", "diagno", "parenthe", "progno", "synop", "the"], "ses", "sis"),
    WordEnding(["t", "i"], "a", "um"),
    WordEnding(["ss"], "", ""),
    WordEnding([""], "s", ""),
  ]

  private static let irregularEndings = [
    ("person", "people"), ("man", "men"), ("human", "humans"), ("german", "germans"), ("roman", "romans"),
    ("child", "children"), ("sex", "sexes"), ("move", "moves"), ("zombie", "zombies"), ("foot", "feet"),
  ]

  // The plural of most words in -f and -fe ends in -s. These words are exceptions.
  private static let fe = ["^li", "afterli", "^wi", "housewi", "midwi", "^kni", "penkni"]
  private static let f = [
    "^cal", "^el", "^hal", "behal", "^lea", "^loa", "^sel", "sel", "^shea", "^shel", "bookshel", "^thie", "^wol",
    "^scar", "^dwar", "^whar",
  ]
}
