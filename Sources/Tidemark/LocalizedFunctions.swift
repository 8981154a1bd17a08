import Foundation
public import TidemarkEssentials

extension DatabaseFunction {
  /// `swiftLocalizedCapitalizedString(text)`: Foundation's `localizedCapitalized`.
  public static let localizedCapitalize = text("swiftLocalizedCapitalizedString") { $0.localizedCapitalized }

  /// `swiftLocalizedLowercaseString(text)`: Foundation's `localizedLowercase`.
  public static let localizedLowercase = text("swiftLocalizedLowercaseString") { $0.localizedLowercase }

  /// `swiftLocalizedUppercaseString(text)`: Foundation's `localizedUppercase`.
  public static let localizedUppercase = text("swiftLocalizedUppercaseString") { $0.localizedUppercase }

  static let localized = [localizedCapitalize, localizedLowercase, localizedUppercase]
}

extension DatabaseCollation {
  /// `swiftCaseInsensitiveCompare`: Foundation's `caseInsensitiveCompare`.
  public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
    $0.caseInsensitiveCompare($1)
  }

  /// `swiftLocalizedCaseInsensitiveCompare`: Foundation's `localizedCaseInsensitiveCompare`.
  public static let localizedCaseInsensitiveCompare = DatabaseCollation("swiftLocalizedCaseInsensitiveCompare") {
    $0.localizedCaseInsensitiveCompare($1)
  }

  /// `swiftLocalizedCompare`: Foundation's `localizedCompare`.
  public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
    $0.localizedCompare($1)
  }

  /// `swiftLocalizedStandardCompare`: Foundation's `localizedStandardCompare`.
  public static let localizedStandardCompare = DatabaseCollation("swiftLocalizedStandardCompare") {
    $0.localizedStandardCompare($1)
  }

  static let localized = [
    caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare, localizedStandardCompare,
  ]
}

extension SQLSpecificExpressible {
  /// The text with the first letter of each word in upper case, as in the user's language.
  public var localizedCapitalized: SQLExpression { DatabaseFunction.localizedCapitalize(sqlExpression) }

  /// The text in lower case, as in the user's language.
  public var localizedLowercased: SQLExpression { DatabaseFunction.localizedLowercase(sqlExpression) }

  /// The text in upper case, as in the user's language.
  public var localizedUppercased: SQLExpression { DatabaseFunction.localizedUppercase(sqlExpression) }
}
