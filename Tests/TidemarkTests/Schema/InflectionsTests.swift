import Testing
import Tidemark

@testable import TidemarkEssentials

@Suite struct InflectionsTests {
  static let pairs = """
    person people, child children, status statuses, address addresses, category categories, day days, sheep sheep,
    series series, leaf leaves, knife knives, hero heroes, datum data, movie movies, box boxes, quiz quizzes,
    userRole userRoles, user_role user_roles, user2 users2, Person People, salesPerson salesPeople, city cities,
    bus buses, mouse mice, ox oxen, matrix matrices, index indices, octopus octopi, analysis analyses, crisis crises,
    half halves, wolf wolves, shelf shelves, glove gloves, curve curves, shoe shoes, tomato tomatoes, news news,
    man men, woman women, human humans, move moves, database databases, wife wives, thief thieves, life lives,
    player players, team teams, key keys, query queries, class classes, church churches, wish wishes, alias aliases,
    virus viri, louse lice, foot feet, tooth tooths, goose gooses, potato potatos, index2 indices2, API APIs,
    HTTPServer HTTPServers, Mouse Mice, apiKey apiKeys, photo photos, axis axes, test tests, olive olives
    """
    .split(whereSeparator: { $0 == "," || $0.isNewline })
    .map { $0.split(separator: " ").map(String.init) }
    .filter { !$0.isEmpty }

  @Test(arguments: pairs)
  func wordsAreInflected(pair: [String]) {
    #expect(Inflections.default.pluralize(pair[0]) == pair[1])
    #expect(Inflections.default.singularize(pair[1]) == pair[0])
    #expect(Inflections.default.singularize(pair[0]) == pair[0])
  }

  @Test(arguments: [("genus", "genu"), ("campus", "campu"), ("stimulus", "stimulu"), ("s", "")])
  func singularWordsLoseTheirFinalS(word: String, singular: String) {
    #expect(Inflections.default.singularize(word) == singular)
  }

  @Test(arguments: ["", "2", "_", "__1"])
  func nonwordsAreUnchanged(text: String) {
    #expect(Inflections.default.singularize(text) == text)
    #expect(Inflections.default.pluralize("") == "")
  }

  @Test func rulesCanBeAdded() {
    var inflections = Inflections()
    #expect(inflections.pluralize("rule") == "rule")
    inflections.plural("$", "s")
    inflections.singular("s$", "")
    #expect(inflections.pluralize("rule") == "rules")
    #expect(inflections.singularize("rules") == "rule")
    inflections.irregularSuffix("rule", "rulez")
    inflections.irregularSuffix("I", "we")
    #expect(inflections.pluralize("goldenRule") == "goldenRulez")
    #expect(inflections.singularize("goldenRulez") == "goldenRule")
    #expect(inflections.pluralize("I") == "we")
    inflections.uncountableWords(["Gold"])
    #expect(inflections.pluralize("my_gold") == "my_gold")
    inflections.plural("(gol)f$", options: [], "$1ves")
    #expect(inflections.pluralize("golf") == "golves")
    #expect(inflections.pluralize("GOLF") == "GOLFs")
  }

  @Test func `new default rules apply to names that were inflected before`() async {
    await #expect(processExitsWith: .success) {
      #expect(Inflections.defaultPlural("golf") == "golfs")
      #expect(Inflections.defaultSingular("golves") == "golve")
      Inflections.default.irregularSuffix("golf", "golves")
      #expect(Inflections.defaultPlural("golf") == "golves")
      #expect(Inflections.defaultSingular("golves") == "golf")
    }
  }

  @Test func `names that are equal under Unicode normalization keep their own form`() {
    let (composed, decomposed) = ("r\u{F4}le", "ro\u{302}le")
    #expect(Array(Inflections.defaultPlural(composed).utf8) == Array("\(composed)s".utf8))
    #expect(Array(Inflections.defaultPlural(decomposed).utf8) == Array("\(decomposed)s".utf8))
  }

  @Test func `many names are inflected`() {
    for number in 0..<1_000 { #expect(Inflections.defaultSingular("rules\(number)") == "rule\(number)") }
  }
}
