import CSQLite
public import FoundationEssentials

extension URL: DatabaseValueConvertible {
  /// The absolute URL, as a TEXT.
  public var databaseValue: DatabaseValue { DatabaseValue(.string(absoluteString)) }

  /// From a TEXT that is a URL.
  ///
  /// A JSON string, with its quotes (`"https:\/\/example.com\/"`), is read too: that is how GRDB 7.8.0 stores URLs on
  /// Linux. No URL starts with a quote.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
    guard let text = String.fromDatabaseValue(dbValue) else { return nil }
    if text.utf8.first == UInt8(ascii: "\"") {
      // Text that is not JSON is not a URL either.
      guard let string = try? JSONDecoder().decode(String.self, from: Data(text.utf8)) else { return nil }
      return URL(string: string)
    }
    return URL(string: text)
  }

  /// Binds the text.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    bindText(absoluteString, to: sqliteStatement, at: index)
  }
}
