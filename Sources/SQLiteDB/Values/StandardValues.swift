// The types that SQLite stores as they are, and those that are written as one of them.

extension Value where Datatype == Self {
  /// The value itself.
  public static func fromDatatypeValue(_ datatypeValue: Self) -> Self { datatypeValue }

  /// The value itself.
  public var datatypeValue: Self { self }
}

extension Int64: Value {
  /// The type itself.
  public typealias Datatype = Int64

  /// `INTEGER`
  public static var declaredDatatype: String { "INTEGER" }
}

extension Double: Value {
  /// The type itself.
  public typealias Datatype = Double

  /// `REAL`
  public static var declaredDatatype: String { "REAL" }
}

extension String: Value {
  /// The type itself.
  public typealias Datatype = String

  /// `TEXT`
  public static var declaredDatatype: String { "TEXT" }
}

extension Int: Value {
  /// `INTEGER`
  public static var declaredDatatype: String { Int64.declaredDatatype }

  /// The integer.
  public static func fromDatatypeValue(_ datatypeValue: Int64) -> Int { Int(datatypeValue) }

  /// The integer, in 64 bits.
  public var datatypeValue: Int64 { Int64(self) }
}

extension Bool: Value {
  /// `INTEGER`
  public static var declaredDatatype: String { Int64.declaredDatatype }

  /// Whether the integer is not 0.
  public static func fromDatatypeValue(_ datatypeValue: Int64) -> Bool { datatypeValue != 0 }

  /// 1 or 0.
  public var datatypeValue: Int64 { self ? 1 : 0 }
}
