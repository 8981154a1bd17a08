/// Checks the arguments for a text of several statements before the first of them runs.
///
/// The statements cannot all be compiled in advance: one may use a table that another one creates. So the
/// parameters are counted in the text.
struct ArgumentCheck {
  private let statements: [Substring]

  init(_ sql: String) {
    var statements: [Substring] = []
    var tokens = SQLTokenizer(sql)
    var start: String.Index?
    while let token = tokens.next() {
      if token == .semicolon {
        if let start { statements.append(sql[start..<tokens.range.lowerBound]) }
        start = nil
      } else {
        start = start ?? tokens.range.lowerBound
      }
    }
    if let start { statements.append(sql[start...]) }
    self.statements = statements
  }

  /// - Throws: An error of code `SQLITE_MISUSE` if there are too few or too many arguments.
  func validate(_ arguments: StatementArguments) throws {
    var restCount = arguments.values.count
    for statement in statements {
      for name in Self.parameters(of: statement) {
        if let name, arguments.namedValues[name] != nil { continue }
        if restCount > 0 {
          restCount -= 1
          continue
        }
        let mismatch: ArgumentMismatch =
          if let name, arguments.values.isEmpty { .missing(name) } else { .wrongCount(0) }
        throw error(mismatch, statement, arguments)
      }
    }
    if restCount > 0 {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: ArgumentMismatch.wrongCount(arguments.values.count).message)
    }
  }

  private func error(
    _ mismatch: ArgumentMismatch, _ statement: Substring, _ arguments: StatementArguments
  ) -> DatabaseError {
    var mismatch = mismatch
    // Reported as for a single statement: the number of values that remained for it.
    if case .wrongCount = mismatch {
      var left = arguments.values.count
      for previous in statements where previous.startIndex < statement.startIndex {
        left -= Self.parameters(of: previous).count { name in name.map { arguments.namedValues[$0] == nil } ?? true }
      }
      mismatch = .wrongCount(max(left, 0))
    }
    return DatabaseError(
      resultCode: .SQLITE_MISUSE, message: mismatch.message, sql: statement.trimmedSQLStatement)
  }

  /// The parameters of one statement as SQLite numbers them: a name, or nil for a position.
  ///
  /// A name used twice is one parameter. `?5` also creates the parameters with lower numbers.
  private static func parameters(of statement: Substring) -> [String?] {
    var parameters: [String?] = []
    var marks: Set<[UInt8]> = []
    var tokens = SQLTokenizer(statement)
    while let token = tokens.next() {
      guard token == .parameter else { continue }
      let mark = statement[tokens.range]
      if mark == "?" {
        parameters.append(nil)
      } else if mark.first == "?" {
        // SQLite rejects larger numbers when it compiles the statement.
        while let number = Int(mark.dropFirst()), number <= 32_766, parameters.count < number {
          parameters.append(nil)
        }
      } else if marks.insert(Array(mark.utf8)).inserted {
        parameters.append(String(mark.unicodeScalars.dropFirst()))
      }
    }
    return parameters
  }
}
