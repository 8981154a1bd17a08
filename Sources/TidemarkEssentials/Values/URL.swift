import CSQLite
public import FoundationEssentials

extension URL: DatabaseValueConvertible {
  /// The absolute URL as TEXT.
  public var databaseValue: DatabaseValue { DatabaseValue(.string(absoluteString)) }

  /// Converts a TEXT that is a URL.
  ///
  /// It also accepts a JSON string with quotes (`"https:\/\/example.com\/"`), the format of GRDB 7.8.0 on Linux. URLs
  /// never start with a quote.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> URL? {
    guard let text = String.fromDatabaseValue(dbValue) else { return nil }
    if text.utf8.first == UInt8(ascii: "\"") {
      // Text that is not JSON is not a URL.
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
