import CSQLite

extension Statement {
  /// The values of the parameters, kept from one execution to the next.
  ///
  /// - precondition: There is a value for each parameter, and no positional value too many. Use
  ///   `setArguments` to have an error instead.
  public var arguments: StatementArguments {
    get { currentArguments }
    set {
      do {
        try setArguments(newValue)
      } catch {
        fatalError("\(error)")
      }
    }
  }

  /// Gives values to the parameters.
  ///
  /// - throws: An error of code `SQLITE_MISUSE` when a value is missing or too many. The arguments are then
  ///   what they were.
  public func setArguments(_ arguments: StatementArguments) throws {
    database.preconditionAccess()
    if isRunning { finish() }
    try bind(arguments)
  }

  /// Gives values to the parameters without checks: a parameter without value is NULL, a value without
  /// parameter is ignored.
  public func setUncheckedArguments(_ arguments: StatementArguments) {
    database.preconditionAccess()
    if isRunning { finish() }
    do {
      try bind(arguments, isChecked: false)
    } catch {
      // A value that SQLite refuses (it is too big) comes out as the error of the next execution.
      currentArguments = arguments
      checksArguments = false
    }
  }

  /// Gives the values that stand in a literal to the parameters. Where the text has more parameters than that, they
  /// wait for arguments: an execution without them throws.
  func setArgumentsOfLiteral(_ arguments: StatementArguments) throws {
    if arguments.namedValues.count + arguments.values.count >= parameterCount { return try setArguments(arguments) }
    database.preconditionAccess()
    if isRunning { finish() }
    currentArguments = arguments
    checksArguments = true
    hasBoundArguments = false
  }

  /// Throws when there is not a value for each parameter, or a positional value too many.
  public func validateArguments(_ arguments: StatementArguments) throws {
    try validate(arguments)
  }

  // MARK: - Checks

  func validate(_ arguments: StatementArguments) throws {
    if arguments.namedValues.isEmpty, arguments.values.count == parameterCount { return }
    var rest = arguments.values[...]
    for index in 1..<CInt(parameterCount + 1) {
      _ = try value(at: index, arguments, &rest)
    }
    if !rest.isEmpty { throw argumentError(.wrongCount(arguments.values.count)) }
  }

  /// The value of a parameter: the one of its name, else the next positional one.
  private func value(
    at index: CInt, _ arguments: StatementArguments, _ rest: inout ArraySlice<DatabaseValue>
  ) throws -> DatabaseValue {
    let name = parameterName(at: index)
    if let name, let value = arguments.namedValues[name] { return value }
    if let value = rest.popFirst() { return value }
    if let name, arguments.values.isEmpty { throw argumentError(.missing(name)) }
    throw argumentError(.wrongCount(arguments.values.count))
  }

  /// The name of a parameter without its mark, or nil for `?` and `?1`. C: `sqlite3_bind_parameter_name`.
  private func parameterName(at index: CInt) -> String? {
    guard let name = sqlite3_bind_parameter_name(sqliteStatement, index), name.pointee != CChar(UInt8(ascii: "?"))
    else { return nil }
    return String(cString: name + 1)
  }

  /// The names of the parameters with their marks, or nil for those without. C: `sqlite3_bind_parameter_name`.
  package var parameterNames: [String?] {
    (1..<CInt(parameterCount + 1)).map { index in
      sqlite3_bind_parameter_name(sqliteStatement, index).map { String(cString: $0) }
    }
  }

  private func argumentError(_ kind: ArgumentMismatch) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_MISUSE, message: kind.message, sql: sql)
  }

  // MARK: - Binding

  /// Gives values to the parameters. On failure the arguments are what they were.
  func bind(_ arguments: StatementArguments, isChecked: Bool = true) throws {
    if parameterCount == 0, arguments.isEmpty, currentArguments.isEmpty {
      // As most queries and all transactions are.
      checksArguments = isChecked
      return
    }
    if arguments.namedValues.isEmpty, arguments.values.count == parameterCount {
      argumentBytes.begin(sqliteStatement)
      try arguments.values.withUnsafeBufferPointer { values in
        for index in values.indices { try bind(values[index], at: CInt(truncatingIfNeeded: index + 1)) }
      }
    } else {
      if isChecked { try validate(arguments) }
      argumentBytes.begin(sqliteStatement)
      var rest = arguments.values[...]
      for index in 1..<CInt(parameterCount + 1) {
        let value = isChecked ? try value(at: index, arguments, &rest) : looseValue(at: index, arguments, &rest)
        try bind(value, at: index)
      }
    }
    currentArguments = arguments
    checksArguments = isChecked
    hasBoundArguments = true
  }

  /// The values of the parameters, taken out of arguments that are shared with other statements.
  func values(takenFrom arguments: inout StatementArguments) throws -> [DatabaseValue] {
    var rest = arguments.values[...]
    let values = try (1..<CInt(parameterCount + 1)).map { try value(at: $0, arguments, &rest) }
    arguments.values = Array(rest)
    return values
  }

  /// The values that the parameters have with some arguments; nil when some are missing.
  func parameterValues(_ arguments: StatementArguments, isChecked: Bool) -> [DatabaseValue]? {
    if arguments.namedValues.isEmpty, arguments.values.count == parameterCount { return arguments.values }
    var rest = arguments.values[...]
    do {
      return try (1..<CInt(parameterCount + 1)).map { index in
        try isChecked ? value(at: index, arguments, &rest) : looseValue(at: index, arguments, &rest)
      }
    } catch {
      // They have not been given yet, or do not fit: an execution would throw the error.
      return nil
    }
  }

  private func looseValue(
    at index: CInt, _ arguments: StatementArguments, _ rest: inout ArraySlice<DatabaseValue>
  ) -> DatabaseValue {
    parameterName(at: index).flatMap { arguments.namedValues[$0] } ?? rest.popFirst() ?? .null
  }

  private func bind(_ value: DatabaseValue, at index: CInt) throws {
    let code = argumentBytes.bind(value, to: sqliteStatement, at: index)
    if code != SQLITE_OK {
      hasBoundArguments = false
      // The parameters that follow have the values of before, whose bytes are gone.
      sqlite3_clear_bindings(sqliteStatement)
      throw database.error(code, of: self)
    }
  }
}

/// How arguments do not fit a statement.
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
