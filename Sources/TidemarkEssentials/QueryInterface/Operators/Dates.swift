/// A transformation of a date, for `dateTime(_:_:)` and `julianDay(_:_:)`.
///
/// SQLite applies modifiers from left to right.
public enum SQLDateModifier: Sendable, SQLExpressible {
  /// Adds a number of seconds.
  case second(Double)

  /// Adds a number of minutes.
  case minute(Int)

  /// Adds a number of hours.
  case hour(Int)

  /// Adds a number of days.
  case day(Int)

  /// Adds a number of months.
  case month(Int)

  /// Adds a number of years.
  case year(Int)

  /// Moves back to midnight at the start of the day.
  case startOfDay

  /// Moves back to the first day of the month, at midnight.
  case startOfMonth

  /// Moves back to the first day of the year, at midnight.
  case startOfYear

  /// Moves forward to the next date with the given weekday, unless the date already has this weekday. 0 is Sunday.
  case weekday(Int)

  /// Interprets a number as seconds since 1970. It must be the first modifier.
  case unixEpoch

  /// Converts from universal time to local time.
  case localTime

  /// Converts from local time to universal time.
  case utc

  /// The text of the modifier, as SQLite expects it.
  public var sqlExpression: SQLExpression { text.sqlExpression }

  private var text: String {
    switch self {
    case .second(let value): "\(value) seconds"
    case .minute(let value): "\(value) minutes"
    case .hour(let value): "\(value) hours"
    case .day(let value): "\(value) days"
    case .month(let value): "\(value) months"
    case .year(let value): "\(value) years"
    case .startOfDay: "start of day"
    case .startOfMonth: "start of month"
    case .startOfYear: "start of year"
    case .weekday(let value): "weekday \(value)"
    case .unixEpoch: "unixepoch"
    case .localTime: "localtime"
    case .utc: "utc"
    }
  }
}

/// Returns an expression that formats a date and time as text: `DATETIME(a, …)`.
///
/// ```swift
/// dateTime(Column("creationDate"), .startOfDay, .day(1))
/// ```
///
/// - Parameter value: An expression whose value is a date: text such as `2026-01-31 12:00:00`, or a number.
/// - Parameter modifiers: Transformations of the date, which SQLite applies from left to right.
public func dateTime(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
  .function("DATETIME", [value.sqlExpression] + modifiers.map { $0.sqlExpression })
}

/// Returns an expression that converts a date and time to a Julian day number: `JULIANDAY(a, …)`.
///
/// ```swift
/// julianDay(Column("endDate")) - julianDay(Column("startDate"))
/// ```
///
/// - Parameter value: An expression whose value is a date: text such as `2026-01-31 12:00:00`, or a number.
/// - Parameter modifiers: Transformations of the date, which SQLite applies from left to right.
public func julianDay(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
  .function("JULIANDAY", [value.sqlExpression] + modifiers.map { $0.sqlExpression })
}
