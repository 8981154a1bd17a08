import FoundationEssentials

// The standard functions and collations of all connections. SQLite's own only support ASCII letters. Localized
// functions require the module `Tidemark`.

extension DatabaseFunction {
  /// `swiftCapitalizedString(text)` returns Foundation's `capitalized`.
  public static let capitalize = text("swiftCapitalizedString") { $0.capitalized }

  /// `swiftLowercaseString(text)` returns Swift's `lowercased()`.
  public static let lowercase = text("swiftLowercaseString") { $0.lowercased() }

  /// `swiftUppercaseString(text)` returns Swift's `uppercased()`.
  public static let uppercase = text("swiftUppercaseString") { $0.uppercased() }

  // The function returns NULL if the argument is not text.
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
  /// `swiftCompare` compares text like Swift strings.
  public static let unicodeCompare = DatabaseCollation("swiftCompare") { lhs, rhs in
    lhs < rhs ? .orderedAscending : lhs == rhs ? .orderedSame : .orderedDescending
  }

  static let standard = [unicodeCompare] + (FoundationServices.current?.collations ?? [])
}
