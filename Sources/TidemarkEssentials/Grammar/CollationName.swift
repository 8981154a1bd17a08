extension Database {
  /// The name of a collation, which defines how SQLite compares texts.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE
  /// let request = Player.order(Column("name").collating(.nocase))
  /// ```
  public struct CollationName: RawRepresentable, Hashable, Sendable {
    /// The name of the collation in SQL, without quotes.
    public var rawValue: String

    /// Creates the name of a collation.
    ///
    /// ```swift
    /// try db.create(table: "player") { t in
    ///   t.column("name", .text).collate(Database.CollationName(rawValue: "german"))
    /// }
    /// ```
    ///
    /// - Parameter rawValue: The name of a collation that is built into SQLite or added to the connection.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The `BINARY` collation, which compares bytes. It is SQLite's default.
    public static let binary = Self(rawValue: "BINARY")

    /// The `NOCASE` collation, which ignores the case of the letters A to Z.
    public static let nocase = Self(rawValue: "NOCASE")

    /// The `RTRIM` collation, which ignores trailing spaces.
    public static let rtrim = Self(rawValue: "RTRIM")
  }
}

extension String {
  /// The name of a collation in SQL, quoted only if it is not a plain word.
  var collationSQL: String {
    let isWord = utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
    return isWord && first?.isNumber == false ? self : quotedDatabaseIdentifier
  }
}
