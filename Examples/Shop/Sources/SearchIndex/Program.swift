// Keeps a full-text index of the products in a file of its own.
//
//     SearchIndex shop.sqlite index.sqlite          follows the changes
//     SearchIndex shop.sqlite index.sqlite tea      searches

import Shop
import Tidemark

struct SearchIndex: Sendable {
  let dbPool: DatabasePool

  init(_ path: String) throws {
    dbPool = try DatabasePool(path: path)
    try dbPool.write { db in
      try db.execute(
        sql: """
          CREATE VIRTUAL TABLE IF NOT EXISTS product USING fts5(name);
          CREATE TABLE IF NOT EXISTS position (id INTEGER PRIMARY KEY CHECK (id = 1), token TEXT NOT NULL)
          """)
    }
  }

  /// Follows the shop. If its position is unknown or too old, it is built again.
  func follow(_ shop: DatabasePool) async throws {
    while true {
      let text = try await dbPool.read { try String.fetchOne($0, sql: "SELECT token FROM position") }
      do {
        guard let token = text.flatMap({ ChangeToken($0) }) else { throw ChangeFeedError.otherHistory }
        for try await entry in try await shop.changes(after: token, in: Product.all()) {
          // After a change of the schema, the table may be another one.
          guard entry.changes.isComplete, !entry.changes.changesSchema else { throw ChangeFeedError.otherHistory }
          try await dbPool.write { db in try update(db, entry) }
        }
        return
      } catch ChangeFeedError.expired, ChangeFeedError.otherHistory {
        try await build(shop)
      }
    }
  }

  private func update(_ db: Database, _ entry: ChangeFeedEntry) throws {
    for change in try entry.changes.changes(of: Product.self) {
      if let old = change.oldRecord {
        try db.execute(sql: "DELETE FROM product WHERE rowid = ?", arguments: [old.id])
      }
      if let new = change.newRecord {
        try db.execute(sql: "INSERT INTO product (rowid, name) VALUES (?, ?)", arguments: [new.id, new.name])
        say("indexed \(new.name)")
      }
    }
    try setPosition(db, entry.token)
  }

  private func build(_ shop: DatabasePool) async throws {
    let (products, token) = try await shop.read { db in try (Product.fetchAll(db), db.changeToken()) }
    try await dbPool.write { db in
      try db.execute(sql: "DELETE FROM product")
      for product in products {
        try db.execute(sql: "INSERT INTO product (rowid, name) VALUES (?, ?)", arguments: [product.id, product.name])
      }
      try setPosition(db, token)
    }
    say("indexed \(products.count) products")
  }

  private func setPosition(_ db: Database, _ token: ChangeToken) throws {
    try db.execute(sql: "INSERT OR REPLACE INTO position VALUES (1, ?)", arguments: [token.description])
  }

  func search(_ text: String) throws -> [String] {
    try dbPool.read { db in
      try String.fetchAll(
        db, sql: "SELECT name FROM product WHERE product MATCH ? ORDER BY rank",
        arguments: [FTS5Pattern(matchingAllPrefixesIn: text)])
    }
  }
}

@main struct Program {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { fatalError("usage: SearchIndex FILE INDEX [TEXT]") }
    let index = try SearchIndex(arguments[2])
    if arguments.count > 3 {
      for name in try index.search(arguments[3]) { say(name) }
    } else {
      try await index.follow(openShop(arguments[1]))
    }
  }
}
