public import Foundation
public import TidemarkEssentials

// Foundation classes are stored like the corresponding Swift types. Decoding creates an instance of the class itself:
// for a subclass such as `NSMutableString`, `fromDatabaseValue` returns nil.

extension NSString: DatabaseValueConvertible {
  /// The string as TEXT.
  public var databaseValue: DatabaseValue { DatabaseValue(.string(description)) }

  /// Converts a TEXT, or a BLOB that is valid UTF-8.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    String.fromDatabaseValue(dbValue).flatMap { NSString(string: $0) as? Self }
  }
}

extension NSData: DatabaseValueConvertible {
  /// The data as BLOB.
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(Data(referencing: self))) }

  /// Converts a BLOB, or the UTF-8 bytes of a TEXT.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Data.fromDatabaseValue(dbValue).flatMap { NSData(data: $0) as? Self }
  }
}

extension NSDate: DatabaseValueConvertible {
  private var date: Date { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }

  /// The date as TEXT, like `Date`.
  public var databaseValue: DatabaseValue { date.databaseValue }

  /// Converts a TEXT with a date, or a number of seconds since 1970-01-01 00:00:00 UTC, like `Date`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Date.fromDatabaseValue(dbValue).flatMap {
      NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
    }
  }

  /// Implementation detail; do not call it. Converts a TEXT, like `Date`.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self? {
    Date._fromDatabaseValueStrictly(dbValue) == nil ? nil : fromDatabaseValue(dbValue)
  }
}

extension NSURL: DatabaseValueConvertible {
  /// The absolute URL as TEXT, or NULL if there is none.
  public var databaseValue: DatabaseValue {
    // The property is optional on Apple platforms, and never nil on others.
    let absoluteString: String? = absoluteString
    return absoluteString?.databaseValue ?? .null
  }

  /// Converts a TEXT that is a URL, like `URL`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) as? Self }
  }
}

extension NSUUID: DatabaseValueConvertible {
  /// The UUID as a BLOB of 16 bytes.
  public var databaseValue: DatabaseValue {
    DatabaseValue(
      .blob(
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
          // The buffer has the requested capacity, so its address is not nil.
          getBytes(bytes.baseAddress.unsafelyUnwrapped)
          return Data(bytes)
        }))
  }

  /// Converts a BLOB of 16 bytes or a TEXT, like `UUID`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    UUID.fromDatabaseValue(dbValue).flatMap { uuid in
      withUnsafeBytes(of: uuid.uuid) {
        NSUUID(uuidBytes: $0.bindMemory(to: UInt8.self).baseAddress.unsafelyUnwrapped) as? Self
      }
    }
  }
}

extension NSNull: DatabaseValueConvertible {
  /// NULL.
  public var databaseValue: DatabaseValue { .null }

  /// Returns nil for all values: NULL is decoded as nil.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}

extension CGFloat: DatabaseValueConvertible {
  /// The number as REAL. SQLite stores NaN as NULL.
  public var databaseValue: DatabaseValue { Double(self).databaseValue }

  /// Converts a number.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
    Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
  }
}

extension DateFormatter: DatabaseDateFormatter {}
