public import Tidemark

// How types and expressions belong together:
//
//     Value               a Swift type that a column can have: Int64, Date, a type of yours
//     ExpressionDatatype  what an expression can be of: a value, or an optional value
//
// An operator that is written for `ExpressionDatatype` is written once: whether its result may be NULL is said by the
// associated types `Condition` and `Size`, and needs no second overload.

/// A type that an expression can be of: a `Value`, or an optional one.
///
/// Do not adopt it: adopt `Value`.
public protocol ExpressionDatatype {
  /// The value, without the optional around it.
  associatedtype WrappedType: Value

  /// What a condition on the type is: `Bool`, or `Bool?` where it may be NULL.
  associatedtype Condition = Bool

  /// What a number that is counted off the type is: `Int`, or `Int?` where it may be NULL.
  associatedtype Size = Int

  /// Not for you to call: the value out of what is stored, nil when it is none of this type.
  static func _from(stored: DatabaseValue) throws -> Self?

  /// Not for you to call: what the value is bound as, nil for NULL.
  var _binding: (any Binding)? { get }

  /// Not for you to call: whether the type has a place for NULL.
  static var _isOptional: Bool { get }
}

/// A Swift type that a column can have.
///
/// A type of yours says which binding stands for it, and is then used like those that are built in:
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
/// A class that is a value is final.
public protocol Value: Expressible, ExpressionDatatype where WrappedType == Self, Condition == Bool, Size == Int {
  /// What a value is read as: most often the type itself.
  associatedtype ValueType = Self

  /// What the value is stored as.
  associatedtype Datatype: Binding

  /// The type of a column of such values, as SQL writes it.
  static var declaredDatatype: String { get }

  /// The value that is stored as such a binding.
  static func fromDatatypeValue(_ datatypeValue: Datatype) throws -> ValueType

  /// What the value is stored as.
  var datatypeValue: Datatype { get }
}

extension Value {
  /// The value as an expression: a parameter that it is bound to.
  public var expression: SQLExpression<Void> { SQLExpression("?", [datatypeValue]) }

  /// Not for you to call: the value out of what is stored, nil when it is none of this type.
  public static func _from(stored: DatabaseValue) throws -> Self? {
    guard let datatypeValue = Datatype._from(stored) else { return nil }
    return try fromDatatypeValue(datatypeValue) as? Self
  }

  /// Not for you to call: what the value is bound as.
  public var _binding: (any Binding)? { datatypeValue }

  /// Not for you to call: false.
  public static var _isOptional: Bool { false }
}

extension Value where ValueType == Self {
  /// Not for you to call: the value out of what is stored, nil when it is none of this type.
  public static func _from(stored: DatabaseValue) throws -> Self? {
    guard let datatypeValue = Datatype._from(stored) else { return nil }
    return try fromDatatypeValue(datatypeValue)
  }
}

/// An optional type.
///
/// Do not adopt it. Extensions of `ExpressionType` are constrained with it, to expressions that may be NULL:
///
/// ```swift
/// extension ExpressionType where UnderlyingType: _OptionalType, UnderlyingType.WrappedType: Value { … }
/// ```
public protocol _OptionalType {
  /// The type of the value, if there is one.
  associatedtype WrappedType
}

extension Optional: _OptionalType {
  /// The type of the value, if there is one.
  public typealias WrappedType = Wrapped
}

extension Optional: ExpressionDatatype where Wrapped: Value {
  /// A condition that may be NULL.
  public typealias Condition = Bool?

  /// A number that may be NULL.
  public typealias Size = Int?

  /// Not for you to call: the value out of what is stored; nil within the optional when it is none of this type.
  public static func _from(stored: DatabaseValue) throws -> Wrapped?? { .some(try Wrapped._from(stored: stored)) }

  /// Not for you to call: what the value is bound as, nil for NULL.
  public var _binding: (any Binding)? { self?.datatypeValue }

  /// Not for you to call: true.
  public static var _isOptional: Bool { true }
}

/// A text or a number that is none of the values that it was read as.
public struct ValueError: Error, Hashable, CustomStringConvertible {
  /// The type that was asked for: `Date`, `UUID`, `URL`.
  public let type: String

  /// What was found instead.
  public let found: String

  /// That something is no value of a type.
  public init(type: String, found: String) {
    self.type = type
    self.found = found
  }

  func trap() -> Never { fatalError("\(self)") }

  /// What was found, and what was hoped for.
  public var description: String { "\(found) is no \(type)" }
}
