import Tidemark

extension DatabaseQueue {
  /// A queue in memory with a table `book(id, title, pages)`.
  static func withBooks(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.inDatabase { try $0.createBooks() }
    return dbQueue
  }
}

extension Database {
  func createBooks() throws {
    try execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, pages INTEGER)")
  }

  /// The titles of all books, in order.
  func titles() throws -> [String] { try String.fetchAll(self, sql: "SELECT title FROM book ORDER BY title") }
}
