public import FoundationEssentials

// The conversions that `Configuration.strictDecoding` rejects. Most types are strict in any case, because they only
// decode the values that they store. Numbers are not: they decode other numbers, and some dates decode numbers.

extension DatabaseValueConvertible {
  /// Implementation detail; do not call it.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self? {
    guard let value = fromDatabaseValue(dbValue) else { return nil }
    guard dbValue.isNumber, !dbValue.isBeyondIntegers else { return value }
    // A type that stores numbers must store this number. A type that stores other values decodes numbers by design.
    let stored = value.databaseValue
    return stored.isNumber && stored != dbValue ? nil : value
  }
}

extension Optional where Wrapped: DatabaseValueConvertible {
  /// Implementation detail; do not call it.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Wrapped?? {
    if let value = Wrapped._fromDatabaseValueStrictly(dbValue) { return .some(value) }
    return dbValue.isNull ? .some(nil) : nil
  }
}

extension _DatabaseInteger {
  /// Implementation detail; do not call it. Converts an INTEGER, or a REAL without a fractional part, if it is in
  /// range.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let integer): Self(exactly: integer)
    case .double(let double): Self(exactly: double)
    case .null, .string, .blob: nil
    }
  }
}

extension Float {
  /// Implementation detail; do not call it. Converts a number in the range of the type, rounded to its precision.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Float? {
    guard let double = Double._fromDatabaseValueStrictly(dbValue) else { return nil }
    let float = Float(double)
    return float.isFinite || !double.isFinite ? float : nil
  }
}

extension Date {
  /// Implementation detail; do not call it. Converts a TEXT: the unit and the epoch of a number are unknown.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Date? {
    dbValue.isNumber ? nil : fromDatabaseValue(dbValue)
  }
}

extension DatabaseValue {
  /// Whether the value is an INTEGER or a REAL.
  fileprivate var isNumber: Bool {
    switch storage {
    case .int64, .double: true
    case .null, .string, .blob: false
    }
  }

  /// Whether the value is a REAL beyond the range of INTEGER: some types decode such numbers, but cannot store them.
  fileprivate var isBeyondIntegers: Bool {
    if case .double(let double) = storage { abs(double) >= 0x1p63 } else { false }
  }
}
