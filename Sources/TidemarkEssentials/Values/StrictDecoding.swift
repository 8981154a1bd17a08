public import FoundationEssentials

// What `Configuration.strictDecoding` refuses. Most types are strict by nature, for they read nothing but what they
// store. Numbers are not: they read each other, and some dates.

extension DatabaseValueConvertible {
  /// Not for you to call.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self? {
    guard let value = fromDatabaseValue(dbValue) else { return nil }
    guard dbValue.isNumber, !dbValue.isBeyondIntegers else { return value }
    // A type that stores numbers is to store this one. One that stores something else knows why it reads numbers.
    let stored = value.databaseValue
    return stored.isNumber && stored != dbValue ? nil : value
  }
}

extension Optional where Wrapped: DatabaseValueConvertible {
  /// Not for you to call.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Wrapped?? {
    if let value = Wrapped._fromDatabaseValueStrictly(dbValue) { return .some(value) }
    return dbValue.isNull ? .some(nil) : nil
  }
}

extension _DatabaseInteger {
  /// Not for you to call. An INTEGER or a whole REAL, that fits.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Self? {
    switch dbValue.storage {
    case .int64(let integer): Self(exactly: integer)
    case .double(let double): Self(exactly: double)
    case .null, .string, .blob: nil
    }
  }
}

extension Float {
  /// Not for you to call. A number in the range of the type, rounded to its precision.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Float? {
    guard let double = Double._fromDatabaseValueStrictly(dbValue) else { return nil }
    let float = Float(double)
    return float.isFinite || !double.isFinite ? float : nil
  }
}

extension Date {
  /// Not for you to call. A TEXT: a number may count seconds, or days, from any time.
  public static func _fromDatabaseValueStrictly(_ dbValue: DatabaseValue) -> Date? {
    dbValue.isNumber ? nil : fromDatabaseValue(dbValue)
  }
}

extension DatabaseValue {
  /// Whether this is an INTEGER or a REAL.
  fileprivate var isNumber: Bool {
    switch storage {
    case .int64, .double: true
    case .null, .string, .blob: false
    }
  }

  /// Whether this is a REAL of a size that no INTEGER has: some types read such numbers, and cannot store them.
  fileprivate var isBeyondIntegers: Bool {
    if case .double(let double) = storage { abs(double) >= 0x1p63 } else { false }
  }
}
