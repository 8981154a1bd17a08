import Foundation

// What every connection has: SQLite's own functions and collations know the letters of ASCII only.

extension DatabaseFunction {
  /// `swiftCapitalizedString(text)`: Foundation's `capitalized`.
  public static let capitalize = text("swiftCapitalizedString") { $0.capitalized }

  /// `swiftLowercaseString(text)`: Swift's `lowercased()`.
  public static let lowercase = text("swiftLowercaseString") { $0.lowercased() }

  /// `swiftUppercaseString(text)`: Swift's `uppercased()`.
  public static let uppercase = text("swiftUppercaseString") { $0.uppercased() }

  /// `swiftLocalizedCapitalizedString(text)`: Foundation's `localizedCapitalized`.
  public static let localizedCapitalize = text("swiftLocalizedCapitalizedString") { $0.localizedCapitalized }

  /// `swiftLocalizedLowercaseString(text)`: Foundation's `localizedLowercase`.
  public static let localizedLowercase = text("swiftLocalizedLowercaseString") { $0.localizedLowercase }

  /// `swiftLocalizedUppercaseString(text)`: Foundation's `localizedUppercase`.
  public static let localizedUppercase = text("swiftLocalizedUppercaseString") { $0.localizedUppercase }

  // What is no text gives NULL.
  private static func text(
    _ name: String, _ transform: @escaping @Sendable (String) -> String
  ) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: 1, pure: true, innocuous: true) { values in
      String.fromDatabaseValue(values[0]).map(transform)
    }
  }

  static let standard = [
    capitalize, lowercase, uppercase, localizedCapitalize, localizedLowercase, localizedUppercase,
  ]
}

extension DatabaseCollation {
  /// `swiftCompare`: the order of Swift's own comparison.
  public static let unicodeCompare = DatabaseCollation("swiftCompare") { lhs, rhs in
    lhs < rhs ? .orderedAscending : lhs == rhs ? .orderedSame : .orderedDescending
  }

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

  static let standard = [
    unicodeCompare, caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare,
    localizedStandardCompare,
  ]
}
