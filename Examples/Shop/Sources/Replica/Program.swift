// Replicates two tables of the shop into another database.
//
//     Replica shop.sqlite copy.sqlite

import Shop
import Tidemark

@main struct Program {
  static let tables = ["product", "purchase"]

  static func main() async throws {
    guard CommandLine.arguments.count == 3 else { fatalError("usage: Replica FILE COPY") }
    let shop = try openShop(CommandLine.arguments[1])
    let replica = try DatabaseQueue(path: CommandLine.arguments[2])
    try await replica.write { db in
      try db.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price DOUBLE NOT NULL);
          CREATE TABLE IF NOT EXISTS purchase (
            id INTEGER PRIMARY KEY AUTOINCREMENT, productId INTEGER NOT NULL REFERENCES product,
            count INTEGER NOT NULL);
          CREATE TABLE IF NOT EXISTS position (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL)
          """)
    }
    while true {
      do {
        try await follow(shop, replica)
      } catch ChangeFeedError.expired, ChangeFeedError.otherHistory {
        try copy(shop, to: replica)
      }
    }
  }

  static func follow(_ shop: DatabasePool, _ replica: DatabaseQueue) async throws {
    let text = try await replica.read { try String.fetchOne($0, sql: "SELECT token FROM position") }
    guard let token = text.flatMap({ ChangeToken($0) }) else { throw ChangeFeedError.otherHistory }
    var transaction: [TransactionChanges] = []
    for try await entry in try await shop.changes(after: token, in: tables.map { Table($0) }) {
      guard entry.changes.isComplete else { throw ChangeFeedError.otherHistory }
      // A large transaction arrives in parts.
      transaction.append(entry.changes)
      if entry.changes.isContinued { continue }
      // The changes of these tables, without the schema changes of others.
      let changes = try Changeset(transaction).filter(tables: tables)
      transaction = []
      try await replica.write { db in
        // If other programs have written to the copy, the shop is right.
        try db.apply(changes, onConflict: .replace)
        try setPosition(db, entry.token)
      }
      say("applied \(changes.rows.count)")
    }
  }

  /// Copies the tables as a whole.
  static func copy(_ shop: DatabasePool, to replica: DatabaseQueue) throws {
    try shop.read { source in
      let token = try source.changeToken()
      try replica.write { db in
        try db.execute(sql: "DELETE FROM purchase; DELETE FROM product")
        for table in tables {
          let counter = try Int64.fetchOne(
            source, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
          for row in try Row.fetchAll(source, sql: "SELECT * FROM \(table)") {
            let columns = row.columnNames.joined(separator: ", ")
            let values = row.columnNames.map { _ in "?" }.joined(separator: ", ")
            try db.execute(
              sql: "INSERT INTO \(table) (\(columns)) VALUES (\(values))",
              arguments: StatementArguments(row.databaseValues))
          }
          if let counter {
            try db.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [table])
            try db.execute(sql: "INSERT INTO sqlite_sequence VALUES (?, ?)", arguments: [table, counter])
          }
        }
        try setPosition(db, token)
      }
    }
    say("copied")
  }

  static func setPosition(_ db: Database, _ token: ChangeToken) throws {
    try db.execute(sql: "INSERT OR REPLACE INTO position VALUES (1, ?)", arguments: [token.description])
  }
}
