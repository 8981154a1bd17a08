import Foundation
import Tidemark

/// The operation of a program whose disk fails.
struct Scenario: Sendable, CustomStringConvertible {
  var description: String
  var kind = World.Kind.pool

  /// Whether the database exists at the beginning.
  var hasTemplate = true

  /// Runs before the disk fails.
  var prepare: @Sendable (World) throws -> Void = { try $0.open() }

  /// Runs while the disk fails. Failures are recorded in the world, and not thrown.
  var act: @Sendable (World) -> Void

  /// The conditions of this scenario alone, once the disk works again and everything is closed.
  var verify: @Sendable (World) throws -> Void = { _ in }
}

extension Scenario {
  static let all =
    [
      creation, opening, write, largeWrite, durableWrite, statementOfItsOwn, observedWrite, mixture, savepoints,
      failedSavepoint, repeatedRelease, read, checkpoint, backup, restore, migration, vacuum, closing, queueWrite,
      queueLargeWrite,
    ] + groups

  static let creation = Scenario(
    description: "a new file", hasTemplate: false, prepare: { _ in },
    act: { world in
      world.attempt("open") {
        try world.open()
        try world.writer?.write { try $0.execute(sql: World.schema) }
      }
      if world.writer != nil, !world.hasSchema() {
        // The database does not exist, and its creation was not acknowledged.
        world.attempt("close") { try world.writer?.close() }
        world.writer = nil
      }
    })

  static let opening = Scenario(
    description: "opening", prepare: { _ in },
    act: { world in
      world.attempt("open") { try world.open() }
      world.read()
    })

  static let write = Scenario(
    description: "a write", kind: .pool,
    act: { world in
      world.write()
      world.write()
      world.read()
    })

  /// More than the page cache of the connection can hold: pages are written before the commit.
  static let largeWrite = Scenario(
    description: "a large write",
    prepare: { world in
      try world.open()
      try world.writer?.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = 5") }
    },
    act: { world in
      world.writeMany()
      world.write()
    })

  static let durableWrite = Scenario(
    description: "a write that waits for the disk", kind: .durablePool,
    act: { world in
      world.write()
      world.write()
    })

  /// A statement outside of transactions, which commits by itself.
  static let statementOfItsOwn = Scenario(
    description: "a statement of its own", kind: .durablePool,
    prepare: { world in
      try world.open()
      // A trigger writes the other table, so that there is one statement.
      try world.writer?.write { db in
        try db.execute(
          sql: """
            CREATE TRIGGER follow AFTER INSERT ON one WHEN new.filler = 'alone'
            BEGIN INSERT INTO two VALUES (new.n, new.filler); END
            """)
      }
    },
    act: { world in
      for _ in 0..<2 {
        world.write { number in
          try world.writer?.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO one VALUES (?, 'alone')", arguments: [number])
          }
        }
      }
    })

  /// The rows of a table are observed: their capture reads the schema in the transaction.
  static let observedWrite = Scenario(
    description: "a write that is observed",
    prepare: { world in
      try world.open()
      guard let writer = world.writer else { return }
      world.observation = DatabaseRegionObservation(tracking: Table("one").filter(Column("n") > 0)).start(
        in: writer, onError: { _ in }, onChange: { _ in })
    },
    act: { world in
      world.write { number in
        try world.writer?.writeWithoutTransaction { db in
          try db.execute(sql: "BEGIN IMMEDIATE")
          try World.insert(number, db)
          try db.execute(sql: "COMMIT")
        }
      }
      world.write()
    })

  /// A program that catches errors inside its transaction, and continues.
  static let mixture = Scenario(
    description: "a write that goes on after errors",
    act: { world in
      world.write { number in
        try world.writer?.write { db in
          world.attempt("insert") { try db.execute(sql: "INSERT INTO one VALUES (?, 'a')", arguments: [number]) }
          world.attempt("savepoint") {
            try db.inSavepoint {
              try db.execute(sql: "UPDATE two SET filler = filler || 'x'")
              return .rollback
            }
          }
          try db.execute(sql: "INSERT INTO two VALUES (?, 'b')", arguments: [number])
          if try Int.fetchOne(db, sql: "SELECT n FROM one WHERE n = ?", arguments: [number]) == nil {
            throw DatabaseError(message: "the first insertion is not there")
          }
        }
      }
    })

  /// A transaction that savepoints begin and commit.
  static let savepoints = Scenario(
    description: "savepoints", kind: .durablePool,
    act: { world in
      world.write { number in
        try world.writer?.writeWithoutTransaction { db in
          try db.execute(sql: "SAVEPOINT a")
          try db.execute(sql: "INSERT INTO one VALUES (?, 'a')", arguments: [number])
          try db.execute(sql: "SAVEPOINT b; UPDATE two SET filler = filler || 'x'; DELETE FROM one; ROLLBACK TO b")
          try db.execute(sql: "INSERT INTO two VALUES (?, 'b')", arguments: [number])
          try db.execute(sql: "RELEASE b; SAVEPOINT c; UPDATE one SET filler = 'c'; RELEASE c; RELEASE a")
        }
      }
      world.write()
    })

  /// A program that ignores an error during ROLLBACK TO, and commits. The pages of its savepoint have left the cache.
  static let failedSavepoint = Scenario(
    description: "a savepoint that cannot be rolled back",
    prepare: { world in
      try world.open()
      try world.writer?.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = 5") }
    },
    act: { world in
      world.write { number in
        try world.writer?.write { db in
          try World.insert(number, db)
          try db.execute(sql: "SAVEPOINT a; INSERT INTO one (n) VALUES (1000)")
          try db.execute(sql: "UPDATE two SET filler = filler || hex(zeroblob(3000)) WHERE n % 4 = 0")
          let rollback = try db.makeStatement(sql: "ROLLBACK TO a")
          world.attempt("ROLLBACK TO") { try rollback.execute() }
          try db.execute(sql: "RELEASE a")
        }
      }
      world.write()
    })

  /// A program that commits again after a RELEASE that has failed without ending the transaction.
  static let repeatedRelease = Scenario(
    description: "a RELEASE that is repeated", kind: .queue,
    act: { world in
      world.write { number in
        try world.writer?.writeWithoutTransaction { db in
          try db.execute(sql: "SAVEPOINT a")
          try World.insert(number, db)
          do {
            try db.execute(sql: "RELEASE a")
          } catch  where db.isInsideTransaction {
            try db.execute(sql: "COMMIT")
          }
        }
      }
      world.write()
    })

  /// A control: a program that ignores errors inside its transaction, which must be detected.
  static let uncheckedWrite = Scenario(
    description: "a write that does not mind errors",
    act: { world in
      world.write { number in
        try world.writer?.write { db in
          for table in ["one", "two"] {
            world.attempt("insert") { try db.execute(sql: "INSERT INTO \(table) VALUES (?, 'a')", arguments: [number]) }
          }
        }
      }
    })

  static let read = Scenario(
    description: "a read",
    act: { world in
      world.read()
      world.read()
    })

  static let checkpoint = Scenario(
    description: "a checkpoint",
    prepare: { world in
      try world.open()
      for _ in 0..<3 { world.write() }
    },
    act: { world in
      for mode in [Database.CheckpointMode.passive, .full, .truncate] {
        world.attempt("checkpoint") { try world.writer?.writeWithoutTransaction { _ = try $0.checkpoint(mode) } }
      }
      world.write()
    })

  static let vacuum = Scenario(
    description: "a vacuum",
    prepare: { world in
      try world.open()
      world.writeMany()
    },
    act: { world in world.attempt("vacuum") { try world.writer?.vacuum() } })

  static let closing = Scenario(
    description: "closing",
    prepare: { world in
      try world.open()
      for _ in 0..<3 { world.write() }
      world.read()
    },
    act: { world in
      let pool = world.writer
      if world.attempt("close", { try pool?.close() }) == nil { world.writer = nil }
    })

  static let queueWrite = Scenario(description: "a write to a queue", kind: .queue, act: write.act)

  static let queueLargeWrite = Scenario(
    description: "a large write to a queue", kind: .queue, prepare: largeWrite.prepare, act: largeWrite.act)
}

extension World {
  /// A write of many pages.
  func writeMany() {
    write { number in
      try writer?.write { db in
        try db.execute(sql: "UPDATE two SET filler = filler || hex(zeroblob(3000))")
        try Self.insert(number, db)
      }
    }
  }

  /// Whether the tables were created.
  func hasSchema() -> Bool {
    var count: Int?
    let sql = "SELECT COUNT(*) FROM sqlite_master WHERE tbl_name IN ('one', 'two')"
    attempt("schema") { count = try writer?.read { try Int.fetchOne($0, sql: sql) } }
    return count == 3
  }
}
