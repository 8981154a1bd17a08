import Tidemark

/// A statement, or a record operation, that changes the content of a database.
enum ModelOperation: Sendable {
  /// How a row is inserted.
  enum Insertion: String, CaseIterable, Sendable { case sql, record, cached, orIgnore, orReplace, orRollback, upsert }

  case insertItem(Int64, ModelContent.Item, Insertion)
  case updateItem(Int64, ModelContent.Item)
  case saveItem(Int64, ModelContent.Item)
  case changeName(Int64, String)
  case addScore(Int, orFail: Bool)
  case deleteItem(Int64, asRecord: Bool)
  case deleteItems
  case insertPart(Int64, item: Int64)
  case deletePart(Int64)
  case createSchema
  case createBox(Int)
  case dropBox(Int)
  case renameBox(Int, Int)
  case insertIntoBox(Int, Int)
  case addExtra
  case dropExtra
  case setExtra(Int64, Int)
  case createIndex
  case dropIndex
  case setVersion(Int)

  init(_ random: inout RandomNumbers) {
    // The first rows are chosen more often.
    let id = Int64(1 + random.below(1 + random.below(6)))
    switch random.below(40) {
    case 0..<11:
      self = .insertItem(
        id, ModelContent.Item(&random), Insertion.allCases.randomElement(using: &random) ?? .sql)
    case 11..<14: self = .updateItem(id, ModelContent.Item(&random))
    case 14..<16: self = .saveItem(id, ModelContent.Item(&random))
    case 16: self = .changeName(id, "n\(random.below(9))")
    case 17..<19: self = .addScore(1 + random.below(20), orFail: random.once(in: 3))
    case 19..<21: self = .deleteItem(Int64(1 + random.below(4)), asRecord: random.once(in: 2))
    case 21: self = random.once(in: 2) ? .deleteItems : .createSchema
    case 22..<26: self = .insertPart(Int64(1 + random.below(6)), item: Int64(1 + random.below(3)))
    case 26: self = .deletePart(Int64(1 + random.below(6)))
    case 27..<30: self = .createBox(random.below(3))
    case 30: self = .dropBox(random.below(3))
    case 31: self = .renameBox(random.below(3), random.below(3))
    case 32..<34: self = .insertIntoBox(random.below(3), random.below(100))
    case 34: self = .addExtra
    case 35: self = random.once(in: 3) ? .dropExtra : .setExtra(id, random.below(50))
    case 36: self = .setExtra(id, random.below(50))
    case 37: self = .createIndex
    case 38: self = .dropIndex
    default: self = .setVersion(random.below(5))
    }
  }

  /// Whether the statement may be executed in a transaction that a group of writes shares, and changes rows only.
  var changesSchema: Bool {
    switch self {
    case .createSchema, .createBox, .dropBox, .renameBox, .addExtra, .dropExtra, .createIndex, .dropIndex, .setVersion:
      true
    default: false
    }
  }

  var text: String {
    switch self {
    case .insertItem(let id, let item, let style): "insert \(id) \(item.text) as \(style.rawValue)"
    case .updateItem(let id, let item): "update \(id) \(item.text)"
    case .saveItem(let id, let item): "save \(id) \(item.text)"
    case .changeName(let id, let name): "updateChanges \(id) name = \(name)"
    case .addScore(let number, let orFail): "update\(orFail ? " or fail" : "") all score += \(number)"
    case .deleteItem(let id, let asRecord): "delete \(asRecord ? "record" : "row") \(id)"
    case .deleteItems: "delete all"
    case .insertPart(let id, let item): "insert part \(id) of \(item)"
    case .deletePart(let id): "delete part \(id)"
    case .createSchema: "create schema"
    case .createBox(let number): "create box\(number)"
    case .dropBox(let number): "drop box\(number)"
    case .renameBox(let old, let new): "rename box\(old) to box\(new)"
    case .insertIntoBox(let number, let value): "insert \(value) into box\(number)"
    case .addExtra: "add column extra"
    case .dropExtra: "drop column extra"
    case .setExtra(let id, let value): "set extra of \(id) to \(value)"
    case .createIndex: "create index"
    case .dropIndex: "drop index"
    case .setVersion(let version): "user_version = \(version)"
    }
  }
}

extension ModelContent.Item {
  init(_ random: inout RandomNumbers) {
    name = random.once(in: 12) ? nil : "n\(random.below(9))"
    score = random.once(in: 5) ? nil : random.below(95)
    code = random.once(in: 2) ? nil : random.below(6)
  }

  var text: String {
    "(\([name, score.map(String.init), code.map(String.init)].map { $0 ?? "NULL" }.joined(separator: " ")))"
  }
}

extension ModelOperation {
  /// Executes the operation.
  func perform(_ db: Database) throws {
    switch self {
    case .insertItem(let id, let item, let style): try insert(ModelItem(id: id, item), style, db)
    case .updateItem(let id, let item): try ModelItem(id: id, item).update(db)
    case .saveItem(let id, let item): try ModelItem(id: id, item).save(db)
    case .changeName(let id, let name):
      guard var item = try ModelItem.fetchOne(db, key: id) else { throw ModelError.notFound }
      try item.updateChanges(db) { $0.name = name }
    case .addScore(let number, let orFail):
      if orFail {
        try db.execute(sql: "UPDATE OR FAIL item SET score = score + ?", arguments: [number])
      } else {
        try ModelItem.updateAll(db, Column("score").set(to: Column("score") + number))
      }
    case .deleteItem(let id, true): try ModelItem.deleteOne(db, key: id)
    case .deleteItem(let id, false): try db.execute(sql: "DELETE FROM item WHERE id = ?", arguments: [id])
    case .deleteItems: try ModelItem.deleteAll(db)
    case .insertPart(let id, let item):
      try db.execute(sql: "INSERT INTO part VALUES (?, ?)", arguments: [id, item])
    case .deletePart(let id): try db.execute(sql: "DELETE FROM part WHERE id = ?", arguments: [id])
    case .createSchema: try db.execute(sql: ModelContent.schemaSQL)
    case .createBox(let number): try db.create(table: "box\(number)") { $0.column("n", .integer) }
    case .dropBox(let number): try db.drop(table: "box\(number)")
    case .renameBox(let old, let new): try db.rename(table: "box\(old)", to: "box\(new)")
    case .insertIntoBox(let number, let value):
      try db.execute(sql: "INSERT INTO box\(number) VALUES (?)", arguments: [value])
    case .addExtra:
      try loadSchema(db)
      try db.alter(table: "item") { $0.add(column: "extra", .integer).defaults(to: ModelContent.extraDefault) }
    case .dropExtra:
      try loadSchema(db)
      try db.alter(table: "item") { $0.drop(column: "extra") }
    case .setExtra(let id, let value):
      try db.execute(sql: "UPDATE item SET extra = ? WHERE id = ?", arguments: [value, id])
    case .createIndex: try db.create(index: "scores", on: "item", columns: ["score"])
    case .dropIndex: try db.drop(index: "scores")
    case .setVersion(let version): try db.execute(sql: "PRAGMA user_version = \(version)")
    }
  }

  /// Loads a schema that another connection has changed. SQLite does not do it before it reports a missing column.
  private func loadSchema(_ db: Database) throws {
    _ = try Int.fetchOne(db, sql: "SELECT 1 FROM sqlite_master")
  }

  private func insert(_ item: ModelItem, _ style: Insertion, _ db: Database) throws {
    let columns = "item (id, name, score, code) VALUES (?, ?, ?, ?)"
    let arguments: StatementArguments = [item.id, item.name, item.score, item.code]
    switch style {
    case .sql: try db.execute(sql: "INSERT INTO \(columns)", arguments: arguments)
    case .record: try item.insert(db)
    case .cached: try db.cachedStatement(sql: "INSERT INTO \(columns)").execute(arguments: arguments)
    case .orIgnore: try item.insert(db, onConflict: .ignore)
    case .orReplace: try db.execute(sql: "INSERT OR REPLACE INTO \(columns)", arguments: arguments)
    case .orRollback: try db.execute(sql: "INSERT OR ROLLBACK INTO \(columns)", arguments: arguments)
    case .upsert: try item.upsert(db)
    }
  }
}
