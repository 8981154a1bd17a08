import Foundation
import Tidemark

func makePool(_ path: String, groupsWrites: Bool = false) throws -> DatabasePool {
  var configuration = Configuration()
  configuration.groupsWrites = groupsWrites
  configuration.busyMode = .timeout(600)
  configuration.prepareDatabase { db in
    if db.description.hasSuffix("writer") { try db.execute(sql: "PRAGMA wal_autocheckpoint = 20") }
  }
  return try DatabasePool(path: path, configuration: configuration)
}

/// Rows are pairs in two tables, so that a partial write would be visible.
func insert(_ number: Int, of name: String, _ db: Database) throws {
  for table in ["one", "two"] {
    try db.execute(sql: "INSERT INTO \(table) (name, n) VALUES (?, ?)", arguments: [name, number])
  }
}

/// Writes, and acknowledges the number of each write.
func write(path: String, name: String) throws {
  let pool = try makePool(path)
  for number in 1... {
    try pool.write { try insert(number, of: name, $0) }
    acknowledge(number)
    guard number % 16 == 0 else { continue }
    let counts = try pool.read { db in
      try ["one", "two"].map {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \($0) WHERE name = ?", arguments: [name])
      }
    }
    if counts != [number, number] {
      complain("\(name): \(number) rows were written, \(counts) are there")
      exit(3)
    }
  }
}

/// A control: acknowledges each write before it is made.
func acknowledgeTooEarly(path: String, name: String) throws {
  let pool = try makePool(path)
  for number in 1... {
    acknowledge(number)
    try pool.write { try insert(number, of: name, $0) }
  }
}

/// Makes copies, and acknowledges the number of writes in each of them.
func backup(path: String, name: String) throws {
  let pool = try makePool(path)
  let copy = try DatabaseQueue(path: path + "-copy")
  for number in 1... {
    try pool.write { try insert(number, of: name, $0) }
    try pool.backup(to: copy, pagesPerStep: 2)
    acknowledge(number)
  }
}

/// Migrates the schema, and acknowledges each version.
func migrate(path: String, name: String) throws {
  let pool = try makePool(path)
  while true {
    let version = try pool.write { db in
      let version = try 1 + (Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0)
      try db.execute(
        sql: """
          ALTER TABLE one ADD COLUMN c\(version) INTEGER NOT NULL DEFAULT \(version);
          CREATE TABLE m\(version) AS SELECT * FROM two;
          CREATE INDEX i\(version) ON one (c\(version));
          UPDATE two SET n = n + 1;
          PRAGMA user_version = \(version)
          """)
      return version
    }
    acknowledge(version)
  }
}

/// Opens, writes, closes, and acknowledges the writes after closing.
func close(path: String, name: String) throws {
  for number in 1... {
    let pool = try makePool(path)
    try pool.write { try insert(number, of: name, $0) }
    _ = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM one") }
    try pool.close()
    acknowledge(number)
  }
}

/// Increments a counter in a table each time that the parent asks for it, and acknowledges each number. It uses a plain
/// SQLite connection. The name selects the durability of its commits.
func count(path: String, name: String) throws {
  var configuration = Configuration()
  configuration.busyMode = .timeout(600)
  configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = \(name)") }
  let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
  var number = 0
  while getchar() != EOF {
    number += 1
    try dbQueue.writeWithoutTransaction { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
    acknowledge(number)
  }
}
