extension Database {
  /// The type that `cast(_:as:)` converts a value to.
  public struct StorageClass: RawRepresentable, Hashable, Sendable {
    /// The name of the type in SQL.
    public let rawValue: String

    /// A type of any name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// An integer of 64 bits.
    public static let integer = Self(rawValue: "INTEGER")

    /// A number with fractions.
    public static let real = Self(rawValue: "REAL")

    /// A text.
    public static let text = Self(rawValue: "TEXT")

    /// Bytes.
    public static let blob = Self(rawValue: "BLOB")
  }
}
