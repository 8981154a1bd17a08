public import Foundation
public import TidemarkEssentials

extension NSNumber: DatabaseValueConvertible {
  /// An INTEGER, or a REAL for a number with a fractional part. Booleans are 0 and 1.
  ///
  /// An `NSDecimalNumber` is stored as INTEGER if SQLite can represent it. Otherwise it is stored as REAL, with about
  /// 15 digits: store a `Decimal` to keep all digits. NaN is stored as NULL.
  ///
  /// - Precondition: An integer fits in a signed 64-bit integer.
  public var databaseValue: DatabaseValue {
    if let decimal = self as? NSDecimalNumber { return decimal.decimalValue.numericDatabaseValue }
    switch kind {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): return doubleValue.databaseValue
    // Traps if the value is out of range.
    case UInt8(ascii: "Q"): return uint64Value.databaseValue
    default: return int64Value.databaseValue
    }
  }

  /// Converts an INTEGER, a REAL, or a TEXT that is a decimal number.
  ///
  /// A TEXT converts to an `NSDecimalNumber`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    let number: NSNumber? =
      switch dbValue.storage {
      case .int64(let integer): NSNumber(value: integer)
      case .double(let double): NSNumber(value: double)
      case .null, .string, .blob: nil
      }
    if let number = number as? Self { return number }
    // The value is a text, or `Self` is `NSDecimalNumber`.
    return Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
  }
}

extension NSNumber: ReportsUnreadableValue {
  /// The Objective-C type code of the number.
  private var kind: UInt8 { UInt8(truncatingIfNeeded: objCType.pointee) }

  package var isTooLargeForSQLite: Bool {
    kind == UInt8(ascii: "Q") && uint64Value > UInt64(Int64.max) && !(self is NSDecimalNumber)
  }
}

extension Decimal {
  /// An INTEGER if SQLite can represent the number, or else the closest REAL.
  fileprivate var numericDatabaseValue: DatabaseValue {
    if isNaN { return .null }
    // Convert through text, which is exact: Foundation's numeric conversions round or wrap.
    let text = description
    if let integer = Int64(text) { return integer.databaseValue }
    return (Double(text) ?? .nan).databaseValue
  }
}
