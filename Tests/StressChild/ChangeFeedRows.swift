import Foundation
import Tidemark

// The processes of the audit of the change feed: each one inserts rows with its name and a number.

private func makePool(_ path: String, writesFeed: Bool) throws -> DatabasePool {
  var configuration = Configuration()
  configuration.busyMode = .timeout(600)
  // A few hundred transactions.
  if writesFeed { configuration.changeFeed = ChangeFeedConfiguration(keptByteCount: 20_000) }
  configuration.prepareDatabase { db in
    if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA wal_autocheckpoint = 100") }
  }
  return try DatabasePool(path: path, configuration: configuration)
}

/// Inserts rows, each one in a transaction of another kind, and acknowledges each number. Waits for permission before
/// each batch of 50, and ends with the last permission.
func insertRows(path: String, name: String) throws {
  let pool = try makePool(path, writesFeed: true)
  try insertBatches(pool, name) { number in
    switch number % 4 {
    case 0: try pool.write { try insertRow(number, name, $0) }
    case 1: try pool.writeWithoutTransaction { try insertRow(number, name, $0) }
    case 2:
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN IMMEDIATE; SAVEPOINT a; DELETE FROM item; ROLLBACK TO a")
        try insertRow(number, name, db)
        try db.execute(sql: "COMMIT")
      }
    default:
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN IMMEDIATE; SAVEPOINT a")
        try insertRow(number, name, db)
        try db.execute(sql: "RELEASE a; END")
      }
    }
  }
}

/// A control: does the same, and writes the tenth row without the feed.
func insertRowsBesideFeed(path: String, name: String) throws {
  let (pool, other) = (try makePool(path, writesFeed: true), try makePool(path, writesFeed: false))
  try insertBatches(pool, name) { number in
    try (number == 10 ? other : pool).write { try insertRow(number, name, $0) }
  }
}

/// A control: does the same, and inserts the tenth row twice.
func insertRowTwice(path: String, name: String) throws {
  let pool = try makePool(path, writesFeed: true)
  try insertBatches(pool, name) { number in
    for _ in 0..<(number == 10 ? 2 : 1) { try pool.write { try insertRow(number, name, $0) } }
  }
}

private func insertBatches(_ pool: DatabasePool, _ name: String, _ insert: (Int) throws -> Void) throws {
  // A process of the same name may have inserted rows before.
  let last = try pool.read { try Int.fetchOne($0, sql: "SELECT max(n) FROM item WHERE name = ?", arguments: [name]) }
  var number = last ?? 0
  while getchar() != EOF {
    for _ in 0..<50 {
      number += 1
      try insert(number)
      acknowledge(number)
    }
  }
}

private func insertRow(_ number: Int, _ name: String, _ db: Database) throws {
  try db.execute(sql: "INSERT INTO item (name, n) VALUES (?, ?)", arguments: [name, number])
}
