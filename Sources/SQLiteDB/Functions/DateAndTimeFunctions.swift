public import Foundation

/// SQLite's date and time functions.
///
/// ```swift
/// DateFunctions.date("now", "+1 day")    // date('now', '+1 day')
/// ```
public final class DateFunctions {
  private init() {}

  /// Returns a date: `date('now')`.
  ///
  /// ```swift
  /// let tomorrow = DateFunctions.date("now", "+1 day")
  /// ```
  ///
  /// - Parameters:
  ///   - timestring: A time in a format of SQLite.
  ///   - modifiers: SQLite's modifiers, such as `+1 day`.
  /// - Returns: The expression.
  public static func date(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("date", timestring.expression, modifiers)
  }

  /// Returns a time of day: `time('now')`.
  ///
  /// ```swift
  /// let inAnHour = DateFunctions.time("now", "+1 hour")
  /// ```
  ///
  /// - Parameters:
  ///   - timestring: A time in a format of SQLite.
  ///   - modifiers: SQLite's modifiers, such as `+1 hour`.
  /// - Returns: The expression.
  public static func time(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("time", timestring.expression, modifiers)
  }

  /// Returns a date with a time of day: `datetime('now')`.
  ///
  /// ```swift
  /// let recent = posts.filter(publishedAt.datetime > DateFunctions.datetime("now", "-1 day"))
  /// ```
  ///
  /// - Parameters:
  ///   - timestring: A time in a format of SQLite.
  ///   - modifiers: SQLite's modifiers, such as `-1 day`.
  /// - Returns: The expression.
  public static func datetime(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("datetime", timestring.expression, modifiers)
  }

  /// Returns a Julian day: `julianday('now')`.
  ///
  /// ```swift
  /// let today = DateFunctions.julianday("now")
  /// ```
  ///
  /// - Parameters:
  ///   - timestring: A time in a format of SQLite.
  ///   - modifiers: SQLite's modifiers, such as `+1 day`.
  /// - Returns: The expression.
  public static func julianday(_ timestring: String, _ modifiers: String...) -> SQLExpression<Date?> {
    .time("julianday", timestring.expression, modifiers)
  }

  /// Returns a time in a custom format: `strftime('%Y-%m-%d', 'now')`.
  ///
  /// A result that is not a date must be converted to an expression of another type before it is read.
  ///
  /// ```swift
  /// let year = SQLExpression<String?>(DateFunctions.strftime("%Y", "now"))
  /// ```
  ///
  /// - Parameters:
  ///   - format: The format, as in SQLite's `strftime`.
  ///   - timestring: A time in a format of SQLite.
  ///   - modifiers: SQLite's modifiers, such as `+1 day`.
  /// - Returns: The expression.
  public static func strftime(
    _ format: String, _ timestring: String, _ modifiers: String...
  ) -> SQLExpression<Date?> {
    .function("strftime", [format.expression, timestring.expression] + modifiers.map(\.expression))
  }
}

extension Date {
  /// The date: `date('2007-01-09T09:41:00.000')`.
  public var date: SQLExpression<Date?> { .time("date", expression) }

  /// The time of day: `time('2007-01-09T09:41:00.000')`.
  public var time: SQLExpression<Date?> { .time("time", expression) }

  /// The date with the time of day: `datetime('2007-01-09T09:41:00.000')`.
  public var datetime: SQLExpression<Date?> { .time("datetime", expression) }

  /// The Julian day: `julianday('2007-01-09T09:41:00.000')`.
  public var julianday: SQLExpression<Date?> { .time("julianday", expression) }
}

extension SQLExpression where Datatype: ExpressionDatatype, Datatype.WrappedType == Date {
  /// The date: `date("published_at")`.
  public var date: SQLExpression<Datatype> { .time("date", expression) }

  /// The time of day: `time("published_at")`.
  public var time: SQLExpression<Datatype> { .time("time", expression) }

  /// The date with the time of day: `datetime("published_at")`.
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
