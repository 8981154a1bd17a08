import Foundation
import Tidemark

/// Stores texts in the table `sent`, and sends each of them as a notification in the same transaction. Meanwhile, a
/// named consumer stores what it receives in the table `received`. Acknowledges each committed transaction.
func sendNotifications(path: String, name: String) throws {
  let pool = try makeFeedPool(path)
  Task {
    do {
      try await receiveNotifications(pool)
    } catch {
      complain("\(name): the receiver has failed: \(error)")
      exit(5)
    }
  }
  for number in 1... {
    try pool.write { db in
      try send("\(name) \(number) a", db)
      try db.inSavepoint {
        try send("undone", db)
        return .rollback
      }
      if number % 3 == 0 { try send("\(name) \(number) b", db) }
    }
    try pool.writeWithoutTransaction { db in
      try db.inTransaction {
        try send("undone", db)
        return .rollback
      }
    }
    acknowledge(number)
  }
}

private func send(_ text: String, _ db: Database) throws {
  try db.execute(sql: "INSERT INTO sent (text) VALUES (?)", arguments: [text])
  try db.notify(channel: "text", payload: text)
}

private func receiveNotifications(_ pool: DatabasePool) async throws {
  var texts: [String] = []
  for try await notification in try await pool.notifications(channel: "text", for: "copier") {
    texts.append(notification.payload)
    if notification.isContinued { continue }
    try await pool.write { [texts] db in
      for text in texts { try db.execute(sql: "INSERT INTO received (text) VALUES (?)", arguments: [text]) }
      try db.acknowledge(notification.token, by: "copier")
    }
    texts = []
  }
}
