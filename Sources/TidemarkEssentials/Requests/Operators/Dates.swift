/// A change to a date, for `dateTime(_:_:)` and `julianDay(_:_:)`.
public enum SQLDateModifier: Sendable, SQLExpressible {
  /// Adds seconds.
  case second(Double)

  /// Adds minutes.
  case minute(Int)

  /// Adds hours.
  case hour(Int)

  /// Adds days.
  case day(Int)

  /// Adds months.
  case month(Int)

  /// Adds years.
  case year(Int)

  /// Goes back to midnight.
  case startOfDay

  /// Goes back to the first day of the month.
  case startOfMonth

  /// Goes back to the first day of the year.
  case startOfYear

  /// Goes forward to a day of the week, when it is another one: 0 is Sunday.
  case weekday(Int)

  /// Reads the number as seconds since 1970.
  case unixEpoch

  /// From universal time to local time.
  case localTime

  /// From local time to universal time.
  case utc

  /// The modifier as a text.
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

/// The date and time as a text: `DATETIME(a, …)`.
///
/// ```swift
/// dateTime(Column("creationDate"), .startOfDay, .day(1))
/// ```
public func dateTime(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
  .function("DATETIME", [value.sqlExpression] + modifiers.map { $0.sqlExpression })
}

/// The date and time as a number of days: `JULIANDAY(a, …)`.
public func julianDay(_ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...) -> SQLExpression {
  .function("JULIANDAY", [value.sqlExpression] + modifiers.map { $0.sqlExpression })
}
