/// What an expression does with its operands.
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
}

extension SQLOperation {
  /// Whether it needs parentheses when it is an operand: it is none of the forms that have their own.
  var isOperator: Bool {
    switch self {
    case .cast, .function, .countAll, .countDistinct: false
    case .not, .negative, .complement, .binary, .chain, .between, .isOneOf, .isFound, .exists, .like, .collated,
      .filtered:
      true
    }
  }

  /// The same test with the opposite answer, where SQL has a word for it.
  var negated: SQLOperation? {
    switch self {
    case .binary(let sqlOperator): sqlOperator.negated.map { .binary($0) }
    case .between(let isNegated): .between(isNegated: !isNegated)
    case .isOneOf(let isNegated): .isOneOf(isNegated: !isNegated)
    case .isFound(let subquery, let isNegated): .isFound(subquery, isNegated: !isNegated)
    case .exists(let subquery, let isNegated): .exists(subquery, isNegated: !isNegated)
    case .like(let isNegated): .like(isNegated: !isNegated)
    case .not, .negative, .complement, .chain, .cast, .collated, .function, .countAll, .countDistinct, .filtered: nil
    }
  }
}

/// An operator that has two operands. Longer expressions nest.
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

  /// Whether collations matter to it.
  var isComparison: Bool {
    switch self {
    case .equal, .notEqual, .same, .notSame, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    case .minus, .divided, .leftShift, .rightShift: false
    }
  }

  /// The opposite test. With NULL, `<` is none of `>=`.
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
  /// An operator that many expressions can be joined by.
  ///
  /// ```swift
  /// let conditions = [Column("score") > 10, Column("name") != nil]
  /// let request = Player.filter(conditions.joined(operator: .and))
  /// ```
  public struct AssociativeBinaryOperator: Sendable {
    let sql: String

    /// What no expression at all is worth.
    let neutral: DatabaseValue

    /// Whether `(a + b) + c` may be written `a + b + c`: not so for numbers, which are rounded or overflow.
    let isFlat: Bool

    /// Whether it combines tests.
    var isLogical: Bool { sql == Self.and.sql || sql == Self.or.sql }

    private init(_ sql: String, neutral: DatabaseValue.Storage, isFlat: Bool = true) {
      self.sql = sql
      self.neutral = DatabaseValue(neutral)
      self.isFlat = isFlat
    }

    /// The sum: `a + b`. That of nothing is 0.
    public static let add = Self("+", neutral: .int64(0), isFlat: false)

    /// The product: `a * b`. That of nothing is 1.
    public static let multiply = Self("*", neutral: .int64(1), isFlat: false)

    /// Whether all hold: `a AND b`. With nothing, it is true.
    public static let and = Self("AND", neutral: .int64(1))

    /// Whether one holds: `a OR b`. With nothing, it is false.
    public static let or = Self("OR", neutral: .int64(0))

    /// The bits that are common to all: `a & b`. Those of nothing are all bits.
    public static let bitwiseAnd = Self("&", neutral: .int64(-1))

    /// The bits of any: `a | b`. Those of nothing are none.
    public static let bitwiseOr = Self("|", neutral: .int64(0))

    /// The texts, one after the other: `a || b`. That of nothing is empty.
    public static let concat = Self("||", neutral: .string(""))
  }
}
