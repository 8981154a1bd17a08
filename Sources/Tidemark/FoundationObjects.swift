public import Foundation
public import TidemarkEssentials

// The classes of Foundation are stored as the Swift types they stand for. Where a class is asked for, the class
// itself is answered: a subclass, such as `NSMutableString`, is not made, and its `fromDatabaseValue` is nil.

extension NSString: DatabaseValueConvertible {
  /// A TEXT.
  public var databaseValue: DatabaseValue { DatabaseValue(.string(description)) }

  /// From a TEXT, or a BLOB that is valid UTF-8.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    String.fromDatabaseValue(dbValue).flatMap { NSString(string: $0) as? Self }
  }
}

extension NSData: DatabaseValueConvertible {
  /// A BLOB.
  public var databaseValue: DatabaseValue { DatabaseValue(.blob(Data(referencing: self))) }

  /// From a BLOB, or the bytes of a TEXT.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Data.fromDatabaseValue(dbValue).flatMap { NSData(data: $0) as? Self }
  }
}

extension NSDate: DatabaseValueConvertible {
  private var date: Date { Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate) }

  /// A TEXT, as for `Date`.
  public var databaseValue: DatabaseValue { date.databaseValue }

  /// From a TEXT that has a date, or from a number of seconds since 1970, as for `Date`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    Date.fromDatabaseValue(dbValue).flatMap {
      NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
    }
  }

  /// Not for you to call. A TEXT, as for `Date`.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self? {
    Date._fromDatabaseValueStrictly(dbValue) == nil ? nil : fromDatabaseValue(dbValue)
  }
}

extension NSURL: DatabaseValueConvertible {
  /// The absolute URL, as a TEXT. A URL that has none is NULL.
  public var databaseValue: DatabaseValue {
    // Optional on Apple's systems, and never nil on others.
    let absoluteString: String? = absoluteString
    return absoluteString?.databaseValue ?? .null
  }

  /// From a TEXT that is a URL, as for `URL`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    URL.fromDatabaseValue(dbValue).flatMap { NSURL(string: $0.absoluteString) as? Self }
  }
}

extension NSUUID: DatabaseValueConvertible {
  /// A BLOB of 16 bytes.
  public var databaseValue: DatabaseValue {
    DatabaseValue(
      .blob(
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
          // The capacity that was asked for is there: the pointer is not nil.
          getBytes(bytes.baseAddress.unsafelyUnwrapped)
          return Data(bytes)
        }))
  }

  /// From a BLOB of 16 bytes, or a TEXT, as for `UUID`.
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

  /// Nil, whatever is stored: NULL reads as nil, as it does for all types.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? { nil }
}
