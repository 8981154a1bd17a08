import Foundation
import Tidemark

// Scenarios that verify something other than writes.

extension Scenario {
  /// A copy contains its previous content, or the whole database.
  static let backup = Scenario(
    description: "a backup",
    prepare: { world in
      try world.open()
      try PlainDatabase(path: world.copyPath, creates: true).execute("CREATE TABLE old (n); INSERT INTO old VALUES (1)")
    },
    act: { world in
      world.act("backup") {
        let copy = try DatabaseQueue(path: world.copyPath)
        try world.writer?.backup(to: copy, pagesPerStep: 2)
        try copy.close()
      }
    },
    verify: { world in
      let copy = try PlainDatabase(path: world.copyPath)
      let isOld = try copy.numbers("SELECT COUNT(*) FROM sqlite_master WHERE name = 'old'") == [1]
      if isOld == (world.operation == .acknowledged) {
        world.problem("\(world.operation!), and the copy is old: \(isOld)")
      }
      if try copy.texts("PRAGMA integrity_check") != ["ok"] { world.problem("a damaged copy") }
      if isOld { return }
      let count = try copy.numbers("SELECT COUNT(*) FROM one JOIN two USING (n)")
      if count != [8] { world.problem("the copy has \(count) rows") }
    })

  /// A copy into a database in use replaces all of it or nothing.
  static let restore = Scenario(
    description: "a restored backup", kind: .durablePool,
    prepare: { world in
      try world.open()
      let source = try DatabaseQueue()
      try source.write { db in
        try db.execute(sql: World.schema)
        for number in 1...4 { try World.insert(number, db) }
      }
      world.source = source
    },
    act: { world in
      let error = world.act("restore") {
        guard let source = world.source, let destination = world.writer else { return }
        try source.backup(to: destination, pagesPerStep: 3)
      }
      let restored = Ledger(acknowledged: 4, after: world.ledger.lastNumber)
      switch world.operation {
      case .acknowledged?: world.ledger = restored
      case .unknown?: world.alternative = restored
      case .refused?, nil: break
      }
      if error == nil { world.read() }
    })

  /// All of a migration, or nothing.
  static let migration = Scenario(
    description: "a migration", kind: .durablePool,
    act: { world in
      world.act("migrate") {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("two") { db in
          try db.execute(
            sql: """
              ALTER TABLE one ADD COLUMN extra INTEGER NOT NULL DEFAULT 0;
              CREATE TABLE three (n INTEGER PRIMARY KEY, text TEXT);
              INSERT INTO three SELECT n, filler FROM one;
              UPDATE two SET filler = upper(filler);
              DROP INDEX filler;
              CREATE INDEX extra ON one (extra);
              PRAGMA user_version = 2
              """)
        }
        if let writer = world.writer { try migrator.migrate(writer) }
      }
    },
    verify: { world in
      let db = try PlainDatabase(path: world.path)
      let version = try db.numbers("PRAGMA user_version")
      switch world.operation {
      case .acknowledged? where version != [2], .refused? where version != [0]:
        world.problem("\(world.operation!), and the version is \(version)")
      default: break
      }
      let names = try db.texts(
        "SELECT name FROM sqlite_master WHERE name NOT LIKE 'grdb%' AND name NOT LIKE 'sqlite%' ORDER BY name")
      let expected = version == [2] ? ["extra", "one", "three", "two"] : ["filler", "one", "two"]
      if names != expected { world.problem("version \(version) with \(names)") }
      let applied =
        try db.texts("SELECT name FROM sqlite_master WHERE name = 'grdb_migrations'").isEmpty
        ? [] : db.texts("SELECT identifier FROM grdb_migrations")
      if applied != (version == [2] ? ["two"] : []) { world.problem("version \(version), migrated: \(applied)") }
      if version == [2], try db.numbers("SELECT COUNT(*) FROM three") != [8] { world.problem("not all was migrated") }
    })
}

extension World {
  var copyPath: String { folder.path("copy.sqlite") }

  /// An operation that is performed completely or not at all, and its reported outcome.
  @discardableResult
  func act(_ what: String, _ body: () throws -> Void) -> DatabaseError? {
    let error = attempt(what, body)
    operation = error.map { $0.commitOutcome == .unknown ? .unknown : .refused } ?? .acknowledged
    return error
  }
}
