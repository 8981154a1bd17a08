extension Database {
  /// The name of a collation: how texts are compared.
  ///
  /// ```swift
  /// // SELECT * FROM "player" ORDER BY "name" COLLATE NOCASE
  /// let request = Player.order(Column("name").collating(.nocase))
  /// ```
  public struct CollationName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public var rawValue: String

    /// A collation of any name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// `BINARY`: compares bytes. SQLite does it by default.
    public static let binary = Self(rawValue: "BINARY")

    /// `NOCASE`: the case of the letters A to Z does not count.
    public static let nocase = Self(rawValue: "NOCASE")

    /// `RTRIM`: spaces at the end do not count.
    public static let rtrim = Self(rawValue: "RTRIM")
  }
}

extension String {
  /// The name of a collation as it stands in SQL: between quotes only where it could be taken for something else.
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
