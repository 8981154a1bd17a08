import Foundation
public import Tidemark

/// A product of a shop.
public struct Product: Codable, Identifiable, Sendable, FetchableRecord, PersistableRecord {
  public var id: Int64
  public var name: String
  public var price: Double
}

/// The database of the shop. All programs that open it store their changes in its change feed.
public func openShop(_ path: String) throws -> DatabasePool {
  var config = Configuration()
  config.changeFeed = ChangeFeedConfiguration()
  config.busyMode = .timeout(10)
  let dbPool = try DatabasePool(path: path, configuration: config)
  var migrator = DatabaseMigrator()
  migrator.registerMigration("shop") { db in
    try db.create(table: "product") { t in
      t.primaryKey("id", .integer)
      t.column("name", .text).notNull()
      t.column("price", .double).notNull()
    }
    try db.create(table: "purchase") { t in
      t.autoIncrementedPrimaryKey("id")
      t.belongsTo("product").notNull()
      t.column("count", .integer).notNull()
    }
    try db.create(table: "audit") { t in
      t.autoIncrementedPrimaryKey("id")
      t.column("date", .datetime).notNull()
      t.column("change", .text).notNull()
    }
  }
  try migrator.migrate(dbPool)
  return dbPool
}

/// Prints a line at once, also into a file or a pipe.
public func say(_ line: String) {
  print(line)
  fflush(nil)
}

extension TransactionChanges {
  /// Whether a statement has changed the schema.
  public var changesSchema: Bool {
    elements.contains { if case .schema = $0 { true } else { false } }
  }
}
