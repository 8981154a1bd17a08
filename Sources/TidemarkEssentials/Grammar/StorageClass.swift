extension Database {
  /// A type that `cast(_:as:)` converts values to.
  public struct StorageClass: RawRepresentable, Hashable, Sendable {
    /// The name of the type in SQL.
    public let rawValue: String

    /// Creates a type with any name.
    ///
    /// - Parameter rawValue: The name of the type in SQL. Its affinity determines the conversion.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A 64-bit integer.
    public static let integer = Self(rawValue: "INTEGER")

    /// A floating-point number.
    public static let real = Self(rawValue: "REAL")

    /// A text.
    public static let text = Self(rawValue: "TEXT")

    /// A blob of bytes.
    public static let blob = Self(rawValue: "BLOB")
  }
}
