import Foundation
import SQLiteDB

// The columns and tables of most tests. They are global constants, as in programs.

let id = SQLExpression<Int64>("id")
let email = SQLExpression<String>("email")
let name = SQLExpression<String?>("name")
let balance = SQLExpression<Double>("balance")
let verified = SQLExpression<Bool>("verified")
let managerId = SQLExpression<Int64?>("manager_id")
let userId = SQLExpression<Int64>("user_id")
let title = SQLExpression<String>("title")

let users = Table("users")
let posts = Table("posts")

/// Returns the SQL of an expression, with literals instead of arguments.
func sql(_ expression: any Expressible) -> String { expression.expression.description }

/// Returns an in-memory database with an empty table of users.
func emptyUsers() throws -> Connection {
  let db = try Connection()
  try db.execute(
    """
    CREATE TABLE users (
      id INTEGER PRIMARY KEY NOT NULL, email TEXT NOT NULL UNIQUE, name TEXT, balance REAL NOT NULL DEFAULT 0,
      verified INTEGER NOT NULL DEFAULT 0, manager_id INTEGER)
    """)
  return db
}

/// Returns an in-memory database with a user for each name. The email addresses are `name@mac.com`, and the IDs start
/// at 1.
func database(_ names: String...) throws -> Connection {
  let db = try emptyUsers()
  for name in names { try db.run("INSERT INTO users (email, name) VALUES (?, ?)", "\(name)@mac.com", name) }
  return db
}

/// Returns the code and the message of the error that a closure throws; nil if it does not throw.
func failure<T>(_ body: () throws -> T) -> (code: Int32, message: String)? {
  do {
    _ = try body()
    return nil
  } catch Result.error(let message, let code, _) {
    return (code, message)
  } catch Result.extendedError(let message, let code, _) {
    return (code, message)
  } catch {
    return (-1, "\(error)")
  }
}

/// A temporary folder, which is deleted when it is deinitialized.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "SQLiteDBTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      print("A test leaves \(url.path()) behind: \(error)")
    }
  }

  func path(_ name: String) -> String { url.appending(path: name).path() }
}

/// Records the statements that a connection runs.
final class Trace {
  private(set) var lines: [String] = []

  init(_ db: Connection) {
    db.trace { [unowned self] in lines.append($0) }
  }
}
