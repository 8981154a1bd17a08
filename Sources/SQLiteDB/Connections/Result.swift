import Tidemark

/// An error of SQLite.
///
/// ```swift
/// do {
///   try db.run(users.insert(email <- "alice@mac.com"))
/// } catch let Result.error(message, code, statement) where code == SQLITE_CONSTRAINT {
///   print("constraint failed: \(message), in \(statement)")
/// }
/// ```
public enum Result: Error, Sendable {
  /// The message, the result code, and the statement that failed, if there is one.
  case error(message: String, code: Int32, statement: Statement?)

  /// The message, the extended result code, and the statement that failed. Thrown if the connection uses extended
  /// codes: see ``Connection/usesExtendedErrorCodes``.
  case extendedError(message: String, extendedCode: Int32, statement: Statement?)

  init(_ error: DatabaseError, usesExtendedCodes: Bool, statement: Statement?) {
    let message = error.message ?? error.resultCode.description
    self =
      usesExtendedCodes
      ? .extendedError(message: message, extendedCode: error.extendedResultCode.rawValue, statement: statement)
      : .error(message: message, code: error.resultCode.rawValue, statement: statement)
  }
}

extension Result: CustomStringConvertible {
  /// The message, the statement if there is one, and the code: `no such table: users (code: 1)`.
  public var description: String {
    switch self {
    case .error(let message, let code, let statement): Self.describe(message, statement, "code: \(code)")
    case .extendedError(let message, let code, let statement):
      Self.describe(message, statement, "extended code: \(code)")
    }
  }

  private static func describe(_ message: String, _ statement: Statement?, _ code: String) -> String {
    guard let statement else { return "\(message) (\(code))" }
    return "\(message) (\(statement)) (\(code))"
  }
}
