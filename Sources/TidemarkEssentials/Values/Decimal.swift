import CSQLite
public import FoundationEssentials

// Decimals are stored as texts, where nothing is lost.

extension Decimal: DatabaseValueConvertible, StatementColumnConvertible {
  /// A TEXT with all digits, and a point: `10.5`.
  ///
  /// What is not a number is stored as NULL, as SQLite does with doubles.
  public var databaseValue: DatabaseValue {
    isNaN ? .null : DatabaseValue(.string(description))
  }

  /// From an INTEGER, a REAL, or a TEXT such as `10.5`, `-3` or `1e3`.
  ///
  /// A REAL is read as the shortest decimal that stands for it: 0.1 is 0.1. So a decimal of up to 15 digits comes
  /// back unharmed from a column where SQLite turns texts into numbers. A text whose digits cannot all be kept
  /// is not read.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Decimal? {
    switch dbValue.storage {
    case .int64(let integer): Decimal(integer)
    case .double(let double): Decimal(text: "\(double)")
    case .string(let text): Decimal(text: text)
    case .null, .blob: nil
    }
  }

  /// From an INTEGER, a REAL or a TEXT, as `fromDatabaseValue` does.
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

  /// Nil when the exponent is out of range.
  private init?(_ text: DecimalText) {
    var (digits, exponent) = (text.digits, text.exponent)
    // A decimal has a point at most 128 digits after its last digit, or 127 zeros before it.
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
  }

  private static let twoTo64 = Decimal(UInt64.max) + 1
}
