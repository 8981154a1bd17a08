/// A type whose values can be used as SQL expressions: a Swift value, a column, or an expression.
public protocol SQLExpressible {
  /// The value as an SQL expression.
  var sqlExpression: SQLExpression { get }
}

/// A type whose values are SQL expressions only, such as a column, as opposed to a Swift value.
///
/// At least one operand of each SQL operator has such a type. This keeps the operators apart from Swift's own
/// operators.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
  /// The expression as a selection.
  public var sqlSelection: SQLSelection { .expression(sqlExpression) }

  /// The expression as an ordering, in ascending order.
  public var sqlOrdering: SQLOrdering { .expression(sqlExpression) }
}

/// A type whose values can be selected by a query.
public protocol SQLSelectable {
  /// The value as a selection.
  var sqlSelection: SQLSelection { get }
}

/// A type whose values can order the rows of a query.
public protocol SQLOrderingTerm {
  /// The value as an ordering.
  var sqlOrdering: SQLOrdering { get }
}

/// A type whose values can be used as subqueries.
public protocol SQLSubqueryable: SQLSpecificExpressible {
  /// The value as a subquery.
  var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
  /// The subquery in parentheses, as an expression with a single value.
  public var sqlExpression: SQLExpression { .subquery(sqlSubquery) }
}

// MARK: - Raw values

// A type with a raw value can adopt these protocols with an empty extension. If two of these defaults apply to a type,
// a third one below resolves the ambiguity.

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The raw value as an expression.
  public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension SQLSelectable where Self: RawRepresentable, RawValue: SQLSelectable {
  /// The raw value as a selection.
  public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLOrderingTerm {
  /// The raw value as an ordering.
  public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension SQLSpecificExpressible where Self: RawRepresentable, RawValue: SQLSelectable {
  /// The expression as a selection.
  public var sqlSelection: SQLSelection { .expression(sqlExpression) }
}

extension SQLSpecificExpressible where Self: RawRepresentable, RawValue: SQLOrderingTerm {
  /// The expression as an ordering, in ascending order.
  public var sqlOrdering: SQLOrdering { .expression(sqlExpression) }
}
