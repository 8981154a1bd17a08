public import Tidemark

// The relation of types and expressions:
//
//    Value               a Swift type that a column can have: Int64, Date, a custom type
//    ExpressionDatatype  the type of an expression: a value, or an optional value
//
// An operator over `ExpressionDatatype` needs a single declaration: the associated types `Condition` and `Size` express
// whether its result may be NULL.

/// The type of an expression: a `Value`, or an optional one.
///
/// Do not conform your own types to this protocol. Conform them to ``Value``.
public protocol ExpressionDatatype {
  /// The type of the value, without optional.
  associatedtype WrappedType: Value

  /// The type of a condition on the value: `Bool`, or `Bool?` if it may be NULL.
  associatedtype Condition = Bool

  /// The type of a number derived from the value, such as a length: `Int`, or `Int?` if it may be NULL.
  associatedtype Size = Int

  /// Not part of the public interface: decodes a stored value; nil if it has another type.
  static func _from(stored: DatabaseValue) throws -> Self?

  /// Not part of the public interface: the binding of the value; nil for NULL.
  var _binding: (any Binding)? { get }

  /// Not part of the public interface: whether the type can represent NULL.
  static var _isOptional: Bool { get }
}

/// A Swift type that a column can have.
///
/// A custom type declares how it is stored, and is then used like the built-in types:
///
/// ```swift
/// struct Celsius: Value {
///   var degrees: Double
///
///   static var declaredDatatype: String { Double.declaredDatatype }
///   static func fromDatatypeValue(_ datatypeValue: Double) -> Celsius { Celsius(degrees: datatypeValue) }
///   var datatypeValue: Double { degrees }
/// }
///
/// let temperature = SQLExpression<Celsius>("temperature")
/// ```
/// A class that conforms to `Value` must be final.
public protocol Value: Expressible, ExpressionDatatype where WrappedType == Self, Condition == Bool, Size == Int {
  /// The decoded type: usually the type itself.
  associatedtype ValueType = Self

  /// The stored type.
  associatedtype Datatype: Binding

  /// The declared type of a column of such values in SQL.
  static var declaredDatatype: String { get }

  /// Decodes a stored value.
  ///
  /// - Parameter datatypeValue: The stored value.
  /// - Returns: The decoded value.
  /// - Throws: An error if the stored value does not represent a value of this type.
  static func fromDatatypeValue(_ datatypeValue: Datatype) throws -> ValueType

  /// The stored value.
  var datatypeValue: Datatype { get }
}

extension Value {
  /// The value as an expression: a bound parameter.
  public var expression: SQLExpression<Void> { SQLExpression("?", [datatypeValue]) }

  /// Not part of the public interface: decodes a stored value; nil if it has another type.
  public static func _from(stored: DatabaseValue) throws -> Self? {
    guard let datatypeValue = Datatype._from(stored) else { return nil }
    return try fromDatatypeValue(datatypeValue) as? Self
  }

  /// Not part of the public interface: the binding of the value.
  public var _binding: (any Binding)? { datatypeValue }

  /// Not part of the public interface: false.
  public static var _isOptional: Bool { false }
}

extension Value where ValueType == Self {
  /// Not part of the public interface: decodes a stored value; nil if it has another type.
  public static func _from(stored: DatabaseValue) throws -> Self? {
    guard let datatypeValue = Datatype._from(stored) else { return nil }
    return try fromDatatypeValue(datatypeValue)
  }
}

/// An optional type.
///
/// Do not conform your own types to this protocol. It constrains extensions of ``ExpressionType`` to expressions that
/// may be NULL:
///
/// ```swift
/// extension ExpressionType where UnderlyingType: _OptionalType, UnderlyingType.WrappedType: Value { … }
/// ```
public protocol _OptionalType {
  /// The type of the wrapped value.
  associatedtype WrappedType
}

extension Optional: _OptionalType {
  /// The type of the wrapped value.
  public typealias WrappedType = Wrapped
}

extension Optional: ExpressionDatatype where Wrapped: Value {
  /// A condition that may be NULL.
  public typealias Condition = Bool?

  /// A number that may be NULL.
  public typealias Size = Int?

  /// Not part of the public interface: decodes a stored value; nil inside the optional if it has another type.
  public static func _from(stored: DatabaseValue) throws -> Wrapped?? { .some(try Wrapped._from(stored: stored)) }

  /// Not part of the public interface: the binding of the value; nil for NULL.
  public var _binding: (any Binding)? { self?.datatypeValue }

  /// Not part of the public interface: true.
  public static var _isOptional: Bool { true }
}

/// A string or a number that cannot be decoded as the requested type.
public struct ValueError: Error, Hashable, CustomStringConvertible {
  /// The requested type: `Date`, `UUID`, `URL`.
  public let type: String

  /// The stored value.
  public let found: String

  /// Creates an error for a stored value that cannot be decoded.
  ///
  /// ```swift
  /// throw ValueError(type: "Celsius", found: "warm")
  /// ```
  ///
  /// - Parameters:
  ///   - type: The requested type.
  ///   - found: The stored value.
  public init(type: String, found: String) {
    self.type = type
    self.found = found
  }

  func trap() -> Never { fatalError("\(self)") }

  /// A message with the stored value and the requested type.
  public var description: String { "expected \(type), got '\(found)'" }
}
