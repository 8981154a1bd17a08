import CSQLite

extension Database {
  /// The kinds of events to trace.
  public struct TracingOptions: OptionSet, Sendable {
    /// The bits of SQLite's trace mask.
    public let rawValue: CInt

    /// Creates options from the bits of SQLite's trace mask.
    public init(rawValue: CInt) {
      self.rawValue = rawValue
    }

    /// Statements, when they begin.
    public static let statement = TracingOptions(rawValue: SQLITE_TRACE_STMT)

    /// Statements and their durations, when they end.
    public static let profile = TracingOptions(rawValue: SQLITE_TRACE_PROFILE)
  }

  /// Calls a closure with the executed statements. Nil stops the trace.
  ///
  /// ```swift
  /// config.prepareDatabase { db in
  ///   db.trace { print($0) }
  /// }
  /// ```
  ///
  /// The description of an event does not show the values of arguments: use its
  /// `expandedDescription`, or set ``Configuration/publicStatementArguments``. C: `sqlite3_trace_v2`.
  public func trace(options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil) {
    preconditionAccess()
    guard let handle else { return }
    let isPublic = settings.publicStatementArguments
    callbacks.trace = trace.map { trace in
      { signal in
        switch signal {
        case .statement(let statement, let text):
          // The SQL of the statement itself, or a comment about the program of a trigger.
          let comment = text == sqlite3_sql(statement) ? nil : String(cString: text)
          trace(.statement(.init(statement, comment: comment, isPublic)))
        case .profile(let statement, let nanoseconds):
          trace(
            .profile(
              statement: .init(statement, comment: nil, isPublic), duration: Double(nanoseconds) / 1_000_000_000))
        }
      }
    }
    do {
      try handle.installTrace(callbacks, mask: trace == nil ? 0 : UInt32(options.rawValue))
    } catch {
      Self.log(error, "Could not enable tracing")
    }
  }

  /// Runs a closure whose statements are not traced: internal queries of the library.
  func untraced<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasSuspended = callbacks.isTraceSuspended
    callbacks.isTraceSuspended = true
    defer { callbacks.isTraceSuspended = wasSuspended }
    return try body()
  }

  /// A traced event.
  public enum TraceEvent: CustomStringConvertible {
    /// A statement begins.
    case statement(Statement)

    /// A statement has ended, after a number of seconds.
    case profile(statement: Statement, duration: Double)

    /// The SQL, preceded by the duration, if any. Values of arguments are shown as question marks, unless they are
    /// public.
    public var description: String {
      switch self {
      case .statement(let statement): statement.description
      case .profile(let statement, let duration): "\(Self.format(duration)) \(statement.description)"
      }
    }

    /// The SQL with the values of its arguments, preceded by the duration, if any.
    public var expandedDescription: String {
      switch self {
      case .statement(let statement): statement.expandedSQL
      case .profile(let statement, let duration): "\(Self.format(duration)) \(statement.expandedSQL)"
      }
    }

    // Three decimals, as in 0.003s.
    private static func format(_ duration: Double) -> String {
      let milliseconds = Int((duration * 1000).rounded())
      let fraction = String(milliseconds % 1000)
      return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)s"
    }
  }
}

extension Database.TraceEvent {
  /// A traced statement. It must not leave the trace closure.
  public struct Statement: CustomStringConvertible {
    private let sqliteStatement: SQLiteStatement
    private let comment: String?
    private let isPublic: Bool

    init(_ sqliteStatement: SQLiteStatement, comment: String?, _ isPublic: Bool) {
      self.sqliteStatement = sqliteStatement
      self.comment = comment
      self.isPublic = isPublic
    }

    /// The SQL, with question marks. The programs of triggers are comments: `-- TRIGGER name`. C:
    /// `sqlite3_sql`.
    public var sql: String {
      if let comment { return comment }
      return sqlite3_sql(sqliteStatement).map { String(cString: $0).trimmedSQLStatement } ?? ""
    }

    /// The SQL with the values of its arguments. C: `sqlite3_expanded_sql`.
    public var expandedSQL: String {
      if let comment { return comment }
      guard let text = sqlite3_expanded_sql(sqliteStatement) else { return sql }
      defer { sqlite3_free(text) }
      return String(cString: text).trimmedSQLStatement
    }

    /// The SQL with question marks, or with the values of its arguments if these are public.
    public var description: String { isPublic ? expandedSQL : sql }
  }
}
