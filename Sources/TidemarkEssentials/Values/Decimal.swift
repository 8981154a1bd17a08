import CSQLite
public import FoundationEssentials

// Decimals are stored as TEXT, which is lossless.

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
  /// The number as TEXT with all its digits, such as `10.5`.
  ///
  /// NaN is stored as NULL, like the NaN of a double.
  public var databaseValue: DatabaseValue {
    isNaN ? .null : DatabaseValue(.string(description))
  }

  /// Converts an INTEGER, a REAL, or a TEXT such as `10.5`, `-3` or `1e3`.
  ///
  /// A REAL converts to the shortest decimal that represents it: 0.1 becomes 0.1. So a decimal of up to 15 digits
  /// survives in a column whose affinity converts text to numbers. A text with more digits than a `Decimal` can hold is
  /// not converted.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
    switch dbValue.storage {
    case .int64(let integer): Decimal(integer)
    case .double(let double): Decimal(text: "\(double)")
    case .string(let text): Decimal(text: text)
    case .null, .blob: nil
    }
  }

  /// Converts an INTEGER, a REAL or a TEXT, like `fromDatabaseValue`.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    guard let value = DatabaseValue.read(sqliteStatement, index).flatMap(Decimal.fromDatabaseValue) else { return nil }
    self = value
  }
}

extension Decimal {
  init?(text: String) {
    guard let parsed = DecimalText(text) else { return nil }
    self.init(parsed)
  }

  /// Fails if the exponent is out of range.
  private init?(_ text: DecimalText) {
    var (digits, exponent) = (text.digits, text.exponent)
    // A decimal has at most 128 fractional digits, or 127 trailing zeros.
    while exponent > 127 {
      let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      (digits, exponent) = (product, exponent - 1)
    }
    guard exponent >= -128 else { return nil }
    let high = Decimal(UInt64(truncatingIfNeeded: digits >> 64))
    let low = Decimal(UInt64(truncatingIfNeeded: digits))
    let significand = high == 0 ? low : high * Self.twoTo64 + low
    self.init(sign: text.isNegative && digits != 0 ? .minus : .plus, exponent: exponent, significand: significand)
    // Foundation moves the zeros at the end of the significand into the exponent, which can exceed its range.
    if isNaN { return nil }
  }

  private static let twoTo64 = Decimal(UInt64.max) + 1
}
