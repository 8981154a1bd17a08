extension Int64: Value {
  /// `INTEGER`
  public static var declaredDatatype: String { "INTEGER" }

  /// The integer itself.
  public static func fromDatatypeValue(_ datatypeValue: Int64) -> Int64 { datatypeValue }

  /// The integer itself.
  public var datatypeValue: Int64 { self }
}

extension Int: Value {
  /// `INTEGER`
  public static var declaredDatatype: String { "INTEGER" }

  /// The integer.
  public static func fromDatatypeValue(_ datatypeValue: Int64) -> Int { Int(datatypeValue) }

  /// The integer, in 64 bits.
  public var datatypeValue: Int64 { Int64(self) }
}

extension Bool: Value {
  /// `INTEGER`
  public static var declaredDatatype: String { "INTEGER" }

  /// Whether the integer is not 0.
  public static func fromDatatypeValue(_ datatypeValue: Int64) -> Bool { datatypeValue != 0 }

  /// 1 or 0.
  public var datatypeValue: Int64 { self ? 1 : 0 }
}

extension Double: Value {
  /// `REAL`
  public static var declaredDatatype: String { "REAL" }

  /// The number itself.
  public static func fromDatatypeValue(_ datatypeValue: Double) -> Double { datatypeValue }

  /// The number itself.
  public var datatypeValue: Double { self }
}

extension String: Value {
  /// `TEXT`
  public static var declaredDatatype: String { "TEXT" }

  /// The text itself.
  public static func fromDatatypeValue(_ datatypeValue: String) -> String { datatypeValue }

  /// The text itself.
  public var datatypeValue: String { self }
}
