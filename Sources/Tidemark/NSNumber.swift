public import Foundation
public import TidemarkEssentials

extension NSNumber: DatabaseValueConvertible {
  /// An INTEGER, or a REAL for a number with a fraction. Booleans are 0 and 1.
  ///
  /// An `NSDecimalNumber` is an INTEGER when it is one that SQLite can store. Else it is a REAL, which keeps 15 digits
  /// or so: store a `Decimal` when all count. What is not a number is NULL.
  ///
  /// - precondition: An integer fits in 64 bits with a sign, as SQLite has them.
  public var databaseValue: DatabaseValue {
    if let decimal = self as? NSDecimalNumber { return decimal.decimalValue.numericDatabaseValue }
    switch kind {
    case UInt8(ascii: "f"), UInt8(ascii: "d"): return doubleValue.databaseValue
    // Traps when it does not fit.
    case UInt8(ascii: "Q"): return uint64Value.databaseValue
    default: return int64Value.databaseValue
    }
  }

  /// From an INTEGER or a REAL, and from a TEXT that is a decimal number.
  ///
  /// What was a TEXT is an `NSDecimalNumber`.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
    let number: NSNumber? =
      switch dbValue.storage {
      case .int64(let integer): NSNumber(value: integer)
      case .double(let double): NSNumber(value: double)
      case .null, .string, .blob: nil
      }
    if let number = number as? Self { return number }
    // A text, or `Self` is `NSDecimalNumber`.
    return Decimal.fromDatabaseValue(dbValue).flatMap { NSDecimalNumber(decimal: $0) as? Self }
  }
}

extension NSNumber: ReportsUnreadableValue {
  /// The Objective-C letter of the type inside.
  private var kind: UInt8 { UInt8(truncatingIfNeeded: objCType.pointee) }

  package var isTooLargeForSQLite: Bool {
    kind == UInt8(ascii: "Q") && uint64Value > UInt64(Int64.max) && !(self is NSDecimalNumber)
  }
}

extension Decimal {
  /// An INTEGER if the number is one that SQLite can store, else the closest REAL.
  fileprivate var numericDatabaseValue: DatabaseValue {
    if isNaN { return .null }
    // Texts are the exact way: the conversions of Foundation round, or wrap.
    let text = description
    if let integer = Int64(text) { return integer.databaseValue }
    return (Double(text) ?? .nan).databaseValue
  }
}
