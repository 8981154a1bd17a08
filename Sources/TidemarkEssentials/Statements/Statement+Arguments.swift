import CSQLite

extension Statement {
  /// The arguments, which are kept between executions.
  ///
  /// - Precondition: The arguments match the parameters. Use `setArguments(_:)` to throw an error instead.
  public var arguments: StatementArguments {
    get { argumentState.current }
    set {
      do {
        try setArguments(newValue)
      } catch {
        fatalError("\(error)")
      }
    }
  }

  /// Sets the arguments.
  ///
  /// ```swift
  /// let statement = try db.makeStatement(sql: "SELECT * FROM book WHERE pages > ?")
  /// try statement.setArguments([500])
  /// ```
  ///
  /// - Parameter arguments: A value for each parameter.
  /// - Throws: A `DatabaseError` of code `SQLITE_MISUSE` if there are too few or too many arguments. The current
  ///   arguments are then kept.
  public func setArguments(_ arguments: StatementArguments) throws {
    database.preconditionAccess()
    if isRunning { finish() }
    try bind(arguments)
  }

  /// Sets the arguments without validation. Parameters without a value are NULL, and superfluous values are ignored.
  ///
  /// - Parameter arguments: The arguments.
  public func setUncheckedArguments(_ arguments: StatementArguments) {
    database.preconditionAccess()
    if isRunning { finish() }
    do {
      try bind(arguments, isChecked: false)
    } catch {
      // If SQLite rejects a value because of its size, the next execution throws the error. Nothing is bound.
      argumentState.current = arguments
      argumentState.areChecked = false
    }
  }

  /// Sets the arguments of an SQL literal. If the SQL has other parameters, executing it without further arguments
  /// throws an error.
  func setArgumentsOfLiteral(_ arguments: StatementArguments) throws {
    if arguments.namedValues.count + arguments.values.count >= parameterCount { return try setArguments(arguments) }
    database.preconditionAccess()
    if isRunning { finish() }
    unbindArguments()
    argumentState.current = arguments
    argumentState.areChecked = true
  }

  /// Validates arguments without setting them.
  ///
  /// - Parameter arguments: The arguments to validate.
  /// - Throws: A `DatabaseError` of code `SQLITE_MISUSE` if there are too few or too many arguments.
  public func validateArguments(_ arguments: StatementArguments) throws {
    try validate(arguments)
  }

  // MARK: - Checks

  func validate(_ arguments: StatementArguments) throws {
    if arguments.namedValues.isEmpty, arguments.values.count == parameterCount { return }
    var rest = arguments.values[0...]
    for index in 1..<CInt(parameterCount + 1) {
      _ = try value(at: index, arguments, &rest)
    }
    if !rest.isEmpty { throw argumentError(.wrongCount(arguments.values.count)) }
  }

  /// Returns the value of a parameter: the value with its name, or the next positional value.
  private func value(
    at index: CInt, _ arguments: StatementArguments, _ rest: inout Slice<PackedValues>
  ) throws -> DatabaseValue {
    let name = parameterName(at: index)
    if let name, let value = arguments.namedValues[name] { return value }
    if let value = rest.popFirst() { return value }
    if let name, arguments.values.isEmpty { throw argumentError(.missing(name)) }
    throw argumentError(.wrongCount(arguments.values.count))
  }

  /// Returns the name of a parameter without its prefix; nil for `?` and `?1`. C: `sqlite3_bind_parameter_name`.
  private func parameterName(at index: CInt) -> String? {
    guard let name = sqlite3_bind_parameter_name(sqliteStatement, index), name.pointee != CChar(UInt8(ascii: "?"))
    else { return nil }
    return String(cString: name + 1)
  }

  /// The names of the parameters with their prefixes; nil for unnamed parameters. C: `sqlite3_bind_parameter_name`.
  package var parameterNames: [String?] {
    (1..<CInt(parameterCount + 1)).map { index in
      sqlite3_bind_parameter_name(sqliteStatement, index).map { String(cString: $0) }
    }
  }

  private func argumentError(_ kind: ArgumentMismatch) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: kind.message, sql: sql)
  }

  // MARK: - Binding

  /// Binds arguments. If this fails, the current arguments are kept.
  func bind(_ arguments: StatementArguments, isChecked: Bool = true) throws {
    if parameterCount == 0, arguments.isEmpty, argumentState.current.isEmpty {
      // Fast path: most queries, and all transaction statements, have no parameters.
      argumentState.areChecked = isChecked
      return
    }
    if arguments.namedValues.isEmpty, arguments.values.count == parameterCount {
      try bind(arguments.values)
      argumentState.ordered = PackedValues()
    } else {
      if isChecked { try validate(arguments) }
      var rest = arguments.values[0...]
      var ordered = PackedValues(capacity: parameterCount)
      for index in 1..<CInt(parameterCount + 1) {
        ordered.append(isChecked ? try value(at: index, arguments, &rest) : looseValue(at: index, arguments, &rest))
      }
      try bind(ordered)
      argumentState.ordered = ordered
    }
    argumentState.current = arguments
    argumentState.areChecked = isChecked
    argumentState.areBound = true
  }

  /// Removes the values of the parameters from arguments shared by several statements.
  func values(takenFrom arguments: inout StatementArguments) throws -> [DatabaseValue] {
    var rest = arguments.values[0...]
    let values = try (1..<CInt(parameterCount + 1)).map { try value(at: $0, arguments, &rest) }
    arguments.values = PackedValues(rest)
    return values
  }

  /// Returns the values that the parameters would have; nil if the arguments do not match.
  func parameterValues(_ arguments: StatementArguments, isChecked: Bool) -> [DatabaseValue]? {
    if arguments.namedValues.isEmpty, arguments.values.count == parameterCount { return Array(arguments.values) }
    var rest = arguments.values[0...]
    do {
      return try (1..<CInt(parameterCount + 1)).map { index in
        try isChecked ? value(at: index, arguments, &rest) : looseValue(at: index, arguments, &rest)
      }
    } catch {
      // The arguments are not set, or do not match: an execution would throw the error.
      return nil
    }
  }

  private func looseValue(
    at index: CInt, _ arguments: StatementArguments, _ rest: inout Slice<PackedValues>
  ) -> DatabaseValue {
    parameterName(at: index).flatMap { arguments.namedValues[$0] } ?? rest.popFirst() ?? .null
  }

  /// Binds a value to each parameter. The caller keeps the values while they are bound.
  private func bind(_ values: PackedValues) throws {
    let code = values.bind(to: sqliteStatement)
    if code != SQLITE_OK {
      let error = database.error(code, of: self)
      // Some parameters refer to these values, which are not kept.
      sqlite3_clear_bindings(sqliteStatement)
      argumentState.areBound = false
      throw error
    }
  }

  /// Removes the arguments. SQLite does not refer to their memory any more. C: `sqlite3_clear_bindings`.
  func unbindArguments() {
    sqlite3_clear_bindings(sqliteStatement)
    argumentState.areBound = false
    argumentState.current = StatementArguments()
    argumentState.ordered = PackedValues()
  }
}

/// A mismatch between arguments and parameters.
enum ArgumentMismatch {
  case missing(String)
  case wrongCount(Int)

  var message: String {
    switch self {
    case .missing(let name): "missing statement argument: \(name)"
    case .wrongCount(let count): "wrong number of statement arguments: \(count)"
    }
  }
}
