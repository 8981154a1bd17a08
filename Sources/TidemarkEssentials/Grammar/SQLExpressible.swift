/// A type that can stand where SQL wants an expression: a value, a column, a combination of them.
public protocol SQLExpressible {
  /// The value as an SQL expression.
  var sqlExpression: SQLExpression { get }
}

/// A type that stands for an SQL expression and for nothing else: a column, not a Swift value.
///
/// Operators ask for it on one side at least, so that they leave Swift's own values alone.
public protocol SQLSpecificExpressible: SQLExpressible, SQLSelectable, SQLOrderingTerm {}

extension SQLSpecificExpressible {
  /// The expression, selected.
  public var sqlSelection: SQLSelection { .expression(sqlExpression) }

  /// The expression, in ascending order.
  public var sqlOrdering: SQLOrdering { .expression(sqlExpression) }
}

/// A type that can stand in the list of what a query selects.
public protocol SQLSelectable {
  /// What is selected.
  var sqlSelection: SQLSelection { get }
}

/// A type that can stand in the list of what a query is ordered by.
public protocol SQLOrderingTerm {
  /// The order.
  var sqlOrdering: SQLOrdering { get }
}

/// A type that can stand as a query inside a query.
public protocol SQLSubqueryable: SQLSpecificExpressible {
  /// The query.
  var sqlSubquery: SQLSubquery { get }
}

extension SQLSubqueryable {
  /// The query, between parentheses, as one value.
  public var sqlExpression: SQLExpression { .subquery(sqlSubquery) }
}

// MARK: - Raw values

// A type with a raw value may say that it stands where its raw value does, with an empty extension. Where two of these
// defaults answer for a type, a third one below settles it.

extension SQLExpressible where Self: RawRepresentable, RawValue: SQLExpressible {
  /// The raw value as an expression.
  public var sqlExpression: SQLExpression { rawValue.sqlExpression }
}

extension SQLSelectable where Self: RawRepresentable, RawValue: SQLSelectable {
  /// The raw value, selected.
  public var sqlSelection: SQLSelection { rawValue.sqlSelection }
}

extension SQLOrderingTerm where Self: RawRepresentable, RawValue: SQLOrderingTerm {
  /// The order of the raw value.
  public var sqlOrdering: SQLOrdering { rawValue.sqlOrdering }
}

extension SQLSpecificExpressible where Self: RawRepresentable, RawValue: SQLSelectable {
  /// The expression, selected.
  public var sqlSelection: SQLSelection { .expression(sqlExpression) }
}

extension SQLSpecificExpressible where Self: RawRepresentable, RawValue: SQLOrderingTerm {
  /// The expression, in ascending order.
  public var sqlOrdering: SQLOrdering { .expression(sqlExpression) }
}
