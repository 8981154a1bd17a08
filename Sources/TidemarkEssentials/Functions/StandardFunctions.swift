import FoundationEssentials

// What every connection has: SQLite's own functions and collations know the letters of ASCII only. Those that follow
// the rules of a language come with the module `Tidemark`.

extension DatabaseFunction {
  /// `swiftCapitalizedString(text)`: Foundation's `capitalized`.
  public static let capitalize = text("swiftCapitalizedString") { $0.capitalized }

  /// `swiftLowercaseString(text)`: Swift's `lowercased()`.
  public static let lowercase = text("swiftLowercaseString") { $0.lowercased() }

  /// `swiftUppercaseString(text)`: Swift's `uppercased()`.
  public static let uppercase = text("swiftUppercaseString") { $0.uppercased() }

  // What is no text gives NULL.
  package static func text(
    _ name: String, _ transform: @escaping @Sendable (String) -> String
  ) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: 1, pure: true, innocuous: true) { values in
      String.fromDatabaseValue(values[0]).map(transform)
    }
  }

  static let standard = [capitalize, lowercase, uppercase] + (FoundationServices.current?.functions ?? [])
}

extension DatabaseCollation {
  /// `swiftCompare`: the order of Swift's own comparison.
  public static let unicodeCompare = DatabaseCollation("swiftCompare") { lhs, rhs in
    lhs < rhs ? .orderedAscending : lhs == rhs ? .orderedSame : .orderedDescending
  }

  static let standard = [unicodeCompare] + (FoundationServices.current?.collations ?? [])
}
