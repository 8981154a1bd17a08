/// The operation that an expression performs on its operands.
enum SQLOperation: Sendable {
  /// `NOT a`
  case not
  /// `-a`
  case negative
  /// `~a`
  case complement
  /// `a < b`
  case binary(SQLBinaryOperator)
  /// `a AND b AND c`
  case chain(SQLExpression.AssociativeBinaryOperator)
  /// `a BETWEEN b AND c`
  case between(isNegated: Bool = false)
  /// `a IN (b, c)`
  case isOneOf(isNegated: Bool = false)
  /// `a IN (SELECT …)`
  case isFound(SQLSubquery, isNegated: Bool = false)
  /// `a IN "table"`
  case isInTable(String, isNegated: Bool = false)
  /// `EXISTS (SELECT …)`
  case exists(SQLSubquery, isNegated: Bool = false)
  /// `a LIKE b`, `a LIKE b ESCAPE c`
  case like(isNegated: Bool = false)
  /// `CAST(a AS INTEGER)`
  case cast(Database.StorageClass)
  /// `a COLLATE NOCASE`
  case collated(String)
  /// `F(a, b)`
  case function(String, isAggregate: Bool)
  /// `COUNT(*)`
  case countAll
  /// `COUNT(DISTINCT a)`
  case countDistinct
  /// `F(a) FILTER (WHERE b)`
  case filtered
  /// `a = 0`, or `a > 0`, where `a` is a count
  case countIsZero(isNegated: Bool = false)
  /// `(a, b)`
  case rowValue
  /// `(a IS NOT NULL) OR (b IS NOT NULL)`
  case rowExists(isNegated: Bool = false)
}

extension SQLOperation {
  /// Whether the operation needs parentheses if it is an operand, because its own syntax does not delimit it.
  var isOperator: Bool {
    switch self {
    case .cast, .function, .countAll, .countDistinct, .rowValue: false
    case .not, .negative, .complement, .binary, .chain, .between, .isOneOf, .isFound, .isInTable, .exists, .like,
      .collated, .filtered, .countIsZero, .rowExists:
      true
    }
  }

  /// The operation with the opposite result, if SQL has syntax for it.
  var negated: SQLOperation? {
    switch self {
    case .binary(let sqlOperator): sqlOperator.negated.map { .binary($0) }
    case .between(let isNegated): .between(isNegated: !isNegated)
    case .isOneOf(let isNegated): .isOneOf(isNegated: !isNegated)
    case .isFound(let subquery, let isNegated): .isFound(subquery, isNegated: !isNegated)
    case .isInTable(let name, let isNegated): .isInTable(name, isNegated: !isNegated)
    case .exists(let subquery, let isNegated): .exists(subquery, isNegated: !isNegated)
    case .like(let isNegated): .like(isNegated: !isNegated)
    case .countIsZero(let isNegated): .countIsZero(isNegated: !isNegated)
    case .rowExists(let isNegated): .rowExists(isNegated: !isNegated)
    case .not, .negative, .complement, .chain, .cast, .collated, .function, .countAll, .countDistinct, .filtered,
      .rowValue:
      nil
    }
  }
}

/// An operator with exactly two operands. Longer expressions nest.
enum SQLBinaryOperator: String, Sendable {
  case equal = "="
  case notEqual = "<>"
  case same = "IS"
  case notSame = "IS NOT"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case minus = "-"
  case divided = "/"
  case leftShift = "<<"
  case rightShift = ">>"
  case match = "MATCH"
  case jsonPart = "->"
  case jsonValue = "->>"

  /// Whether collations affect the operator.
  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .same, .notSame, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .minus, .divided, .leftShift, .rightShift, .match, .jsonPart, .jsonValue: false
    }
  }

  /// The feature of SQLite that the operator requires, or nil for an operator that every library has.
  var requiredFeature: SQLiteFeature? {
    switch self {
    case .jsonPart, .jsonValue: .jsonOperators
    default: nil
    }
  }

  /// The opposite test. `<` and `>=` are not opposites, because both are NULL if an operand is NULL.
  var negated: SQLBinaryOperator? {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .same: .notSame
    case .notSame: .same
    default: nil
    }
  }
}

extension SQLExpression {
  /// An operator that joins any number of expressions.
  ///
  /// ```swift
  /// let conditions = [Column("score") > 10, Column("name") != nil]
  /// let request = Player.filter(conditions.joined(operator: .and))
  /// ```
  public struct AssociativeBinaryOperator: Sendable {
    let sql: String

    /// The result of joining no expressions.
    let neutral: DatabaseValue

    /// Whether `(a + b) + c` may be written `a + b + c`. False for arithmetic, which can round or overflow.
    let isFlat: Bool

    /// Whether it combines tests.
    var isLogical: Bool { sql == Self.and.sql || sql == Self.or.sql }

    private init(_ sql: String, neutral: DatabaseValue.Storage, isFlat: Bool = true) {
      self.sql = sql
      self.neutral = DatabaseValue(neutral)
      self.isFlat = isFlat
    }

    /// Addition: `a + b`. Joining no expressions yields 0.
    public static let add = Self("+", neutral: .int64(0), isFlat: false)

    /// Multiplication: `a * b`. Joining no expressions yields 1.
    public static let multiply = Self("*", neutral: .int64(1), isFlat: false)

    /// Logical AND: `a AND b`. Joining no expressions yields true.
    public static let and = Self("AND", neutral: .int64(1))

    /// Logical OR: `a OR b`. Joining no expressions yields false.
    public static let or = Self("OR", neutral: .int64(0))

    /// Bitwise AND: `a & b`. Joining no expressions yields -1, in which all bits are set.
    public static let bitwiseAnd = Self("&", neutral: .int64(-1))

    /// Bitwise OR: `a | b`. Joining no expressions yields 0.
    public static let bitwiseOr = Self("|", neutral: .int64(0))

    /// Text concatenation: `a || b`. Joining no expressions yields an empty text.
    public static let concat = Self("||", neutral: .string(""))
  }
}
