// The types that SQLite stores natively, and the types that are stored as one of them.

extension Value where Datatype == Self {
  /// Returns the value itself.
  ///
  /// - Parameter datatypeValue: The value.
  /// - Returns: The value.
  public static func fromDatatypeValue(_ datatypeValue: Self) -> Self { datatypeValue }

  /// The value itself.
  public var datatypeValue: Self { self }
}

extension Int64: Value {
  /// The type itself.
  public typealias Datatype = Int64

  /// The declared type of a column: `INTEGER`.
  public static var declaredDatatype: String { "INTEGER" }
}

extension Double: Value {
  /// The type itself.
  public typealias Datatype = Double

  /// The declared type of a column: `REAL`.
  public static var declaredDatatype: String { "REAL" }
}

extension String: Value {
  /// The type itself.
  public typealias Datatype = String

  /// The declared type of a column: `TEXT`.
  public static var declaredDatatype: String { "TEXT" }
}

extension Int: Value {
  /// The declared type of a column: `INTEGER`.
  public static var declaredDatatype: String { Int64.declaredDatatype }

  /// Returns the integer as an `Int`.
  ///
  /// - Parameter datatypeValue: The integer.
  /// - Returns: The integer.
  public static func fromDatatypeValue(_ datatypeValue: Int64) -> Int { Int(datatypeValue) }

  /// The integer with 64 bits.
  public var datatypeValue: Int64 { Int64(self) }
}

extension Bool: Value {
  /// The declared type of a column: `INTEGER`.
  public static var declaredDatatype: String { Int64.declaredDatatype }

  /// Returns whether the integer is not 0.
  ///
  /// - Parameter datatypeValue: The integer.
  /// - Returns: Whether it is not 0.
  public static func fromDatatypeValue(_ datatypeValue: Int64) -> Bool { datatypeValue != 0 }

  /// The integer 1 or 0.
  public var datatypeValue: Int64 { self ? 1 : 0 }
}
