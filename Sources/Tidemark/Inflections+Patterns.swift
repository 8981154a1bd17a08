public import Foundation
public import TidemarkEssentials

extension Inflections {
  /// Adds a rule for plurals.
  ///
  /// - Parameters:
  ///   - pattern: A regular expression that matches the end of a word.
  ///   - options: The options of the regular expression.
  ///   - template: The replacement of the match; `$1` stands for its first group.
  public mutating func plural(
    _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
  ) {
    addPlural(Self.rule(pattern, options, template))
  }

  /// Adds a rule for singulars.
  ///
  /// - Parameters:
  ///   - pattern: A regular expression that matches the end of a word.
  ///   - options: The options of the regular expression.
  ///   - template: The replacement of the match; `$1` stands for its first group.
  public mutating func singular(
    _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive], _ template: String
  ) {
    addSingular(Self.rule(pattern, options, template))
  }

  private static func rule(_ pattern: String, _ options: NSRegularExpression.Options, _ template: String) -> Rule {
    let expression: NSRegularExpression
    do {
      expression = try NSRegularExpression(pattern: pattern, options: options)
    } catch {
      preconditionFailure("The inflection pattern \(pattern) is not a valid regular expression: \(error)")
    }
    return { word in
      let range = NSRange(word.startIndex..., in: word)
      if expression.firstMatch(in: word, range: range) == nil { return nil }
      return expression.stringByReplacingMatches(in: word, range: range, withTemplate: template)
    }
  }
}
