import Foundation
public import TidemarkEssentials

extension DatabaseFunction {
  /// `swiftLocalizedCapitalizedString(text)` returns Foundation's `localizedCapitalized`.
  public static let localizedCapitalize = text("swiftLocalizedCapitalizedString") { $0.localizedCapitalized }

  /// `swiftLocalizedLowercaseString(text)` returns Foundation's `localizedLowercase`.
  public static let localizedLowercase = text("swiftLocalizedLowercaseString") { $0.localizedLowercase }

  /// `swiftLocalizedUppercaseString(text)` returns Foundation's `localizedUppercase`.
  public static let localizedUppercase = text("swiftLocalizedUppercaseString") { $0.localizedUppercase }

  static let localized = [localizedCapitalize, localizedLowercase, localizedUppercase]
}

extension DatabaseCollation {
  /// `swiftCaseInsensitiveCompare` compares text with Foundation's `caseInsensitiveCompare`.
  public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
    $0.caseInsensitiveCompare($1)
  }

  /// `swiftLocalizedCaseInsensitiveCompare` compares text with Foundation's `localizedCaseInsensitiveCompare`.
  public static let localizedCaseInsensitiveCompare = DatabaseCollation("swiftLocalizedCaseInsensitiveCompare") {
    $0.localizedCaseInsensitiveCompare($1)
  }

  /// `swiftLocalizedCompare` compares text with Foundation's `localizedCompare`.
  public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
    $0.localizedCompare($1)
  }

  /// `swiftLocalizedStandardCompare` compares text with Foundation's `localizedStandardCompare`.
  public static let localizedStandardCompare = DatabaseCollation("swiftLocalizedStandardCompare") {
    $0.localizedStandardCompare($1)
  }

  static let localized = [
    caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare, localizedStandardCompare,
  ]
}

extension SQLSpecificExpressible {
  /// The text with its words capitalized, by the rules of the user's language.
  public var localizedCapitalized: SQLExpression { DatabaseFunction.localizedCapitalize(sqlExpression) }

  /// The text in lowercase, by the rules of the user's language.
  public var localizedLowercased: SQLExpression { DatabaseFunction.localizedLowercase(sqlExpression) }

  /// The text in uppercase, by the rules of the user's language.
  public var localizedUppercased: SQLExpression { DatabaseFunction.localizedUppercase(sqlExpression) }
}
