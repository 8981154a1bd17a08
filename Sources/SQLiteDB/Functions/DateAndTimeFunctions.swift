public import Foundation

/// SQLite's functions of dates and times.
///
/// ```swift
/// DateFunctions.date("now", "+1 day")    // date('now', '+1 day')
/// ```
public final class DateFunctions {
  private init() {}

  /// The date: `date('now')`.
  public static func date(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("date", timestring.expression, modifiers)
  }

  /// The time of the day: `time('now')`.
  public static func time(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("time", timestring.expression, modifiers)
  }

  /// The date and the time of the day: `datetime('now')`.
  public static func datetime(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("datetime", timestring.expression, modifiers)
  }

  /// The Julian day: `julianday('now')`.
  public static func julianday(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("julianday", timestring.expression, modifiers)
  }

  /// The time in a format: `strftime('%Y-%m-%d', 'now')`.
  ///
  /// What is no date in that format is read with `cast`, or as an expression of another type.
  public static func strftime(
    _ format: String, _ timestring: String, _ modifiers: String...
  ) -> SQLExpression<Date?> {
    .function("strftime", [format.expression, timestring.expression] + modifiers.map(\.expression))
  }
}

extension Date {
  /// The date: `date('2007-01-09T09:41:00.000')`.
  public var date: SQLExpression<Date?> { .time("date", expression) }

  /// The time of the day: `time('2007-01-09T09:41:00.000')`.
  public var time: SQLExpression<Date?> { .time("time", expression) }

  /// The date and the time of the day: `datetime('2007-01-09T09:41:00.000')`.
  public var datetime: SQLExpression<Date?> { .time("datetime", expression) }

  /// The Julian day: `julianday('2007-01-09T09:41:00.000')`.
  public var julianday: SQLExpression<Date?> { .time("julianday", expression) }
}

extension SQLExpression where Datatype: ExpressionDatatype, Datatype.WrappedType == Date {
  /// The date: `date("published_at")`.
  public var date: SQLExpression<Datatype> { .time("date", expression) }

  /// The time of the day: `time("published_at")`.
  public var time: SQLExpression<Datatype> { .time("time", expression) }

  /// The date and the time of the day: `datetime("published_at")`.
  public var datetime: SQLExpression<Datatype> { .time("datetime", expression) }

  /// The Julian day: `julianday("published_at")`.
  public var julianday: SQLExpression<Datatype> { .time("julianday", expression) }
}

extension SQLExpression {
  fileprivate static func time(
    _ function: String, _ time: SQLExpression<Void>, _ modifiers: [String] = []
  ) -> SQLExpression {
    .function(function, [time] + modifiers.map(\.expression))
  }
}
