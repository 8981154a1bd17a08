import Foundation
import Tidemark

/// A pool that writes the change feed.
func makeFeedPool(_ path: String, groupsWrites: Bool = false) throws -> DatabasePool {
  var configuration = Configuration()
  configuration.groupsWrites = groupsWrites
  configuration.busyMode = .timeout(600)
  configuration.changeFeed = ChangeFeedConfiguration()
  return try DatabasePool(path: path, configuration: configuration)
}

/// Writes with the change feed, and acknowledges the number of each write. Meanwhile, a consumer copies each event, in
/// the transaction that acknowledges it.
func feed(path: String, name: String) throws {
  let pool = try makeFeedPool(path)
  copyEvents(pool, name)
  for number in 1... {
    switch number % 3 {
    case 0: try pool.write { try insertEvent(number, of: name, $0) }
    case 1: try pool.writeWithoutTransaction { try insertEvent(number, of: name, $0) }
    default:
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "SAVEPOINT a")
        try insertEvent(number, of: name, db)
        try db.execute(sql: "RELEASE a")
      }
    }
    acknowledge(number)
  }
}

/// Starts a consumer that copies each event, in the transaction that acknowledges it.
func copyEvents(_ pool: DatabasePool, _ name: String) {
  Task {
    do {
      for try await entry in try await pool.changes(for: "copier", in: Table("event")) {
        try await pool.write { db in
          try copyEvents(entry, db)
        }
      }
    } catch {
      complain("\(name): the consumer has failed: \(error)")
      exit(5)
    }
  }
}

func insertEvent(_ number: Int, of name: String, _ db: Database) throws {
  try db.execute(sql: "INSERT INTO event (name, n) VALUES (?, ?)", arguments: [name, number])
}

/// Copies the events of a transaction, and acknowledges it.
private func copyEvents(_ entry: ChangeFeedEntry, _ db: Database) throws {
  for row in entry.changes.rows {
    let values = StatementArguments((row.newValues ?? []) + [Int64(entry.token.version.description).databaseValue])
    try db.execute(sql: "INSERT INTO copy (id, name, n, version) VALUES (?, ?, ?, ?)", arguments: values)
  }
  try db.acknowledge(entry.token, by: "copier")
}
