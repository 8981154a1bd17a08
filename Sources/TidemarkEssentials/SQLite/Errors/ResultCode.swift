import CSQLite

/// A result code of SQLite, primary or extended.
///
/// The low eight bits of an extended code are its primary code: `SQLITE_CONSTRAINT_UNIQUE` is a
/// detail of `SQLITE_CONSTRAINT`. In a `catch` or a `case`, a primary code matches its whole family,
/// and an extended code matches itself:
///
/// ```swift
/// do {
///   try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: [title])
/// } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
///   // this title is already there
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///   // another constraint was not satisfied
/// }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The code, as C has it.
  public let rawValue: CInt

  /// A result code from its number.
  public init(rawValue: CInt) {
    self.rawValue = rawValue
  }

  /// The code without its detail.
  public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

  /// Whether this code has no detail.
  var isPrimary: Bool { self == primaryResultCode }

  /// What SQLite says of this code. C: `sqlite3_errstr`.
  var text: String { String(cString: sqlite3_errstr(rawValue)) }
}

extension ResultCode: CustomStringConvertible {
  /// The number and what SQLite says of it: `2067 (constraint failed)`.
  public var description: String { "\(rawValue) (\(text))" }
}

extension ResultCode {
  /// Whether a code is the one expected: a primary code expects its whole family.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern.isPrimary ? pattern == code.primaryResultCode : pattern == code
  }

  /// Whether an error is a `DatabaseError` with the code expected.
  public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return pattern ~= error.extendedResultCode
  }
}
