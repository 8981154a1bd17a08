import StressSupport
import Tidemark

/// The operation of a program that writes the change feed while its disk fails.
struct FeedScenario: Sendable, CustomStringConvertible {
  var scenario: Scenario

  /// Whether the database has a feed at the beginning.
  var beginsWithFeed = true

  /// The options of the feed.
  var feed = ChangeFeedConfiguration()

  /// Whether large transactions are stored in parts.
  var storesParts = false

  /// Whether an entry may say that anything may have changed, although no other program has written.
  ///
  /// The log shows whether the last commit has an entry. It does not show that after a checkpoint, if only one commit
  /// has followed, which has restarted the log. If the database cannot be opened, closing it removes the log. A
  /// transaction whose counters cannot be read has changes that are unknown. And if a group is rolled back after an
  /// entry was written, the log is read again, which may fail.
  var mayHaveUnknownEntries = false

  var description: String { "\(scenario), with a change feed" }

  func makeWorld(_ template: Template) throws -> World {
    let world = try World(scenario.kind, template: scenario.hasTemplate ? template : nil)
    world.changeFeed = feed
    world.storesParts = storesParts
    return world
  }

  func makeTemplate() throws -> Template { try Template(scenario.kind, changeFeed: beginsWithFeed ? feed : nil) }
}

extension FeedScenario {
  static let all = [
    FeedScenario(scenario: .creation, beginsWithFeed: false, mayHaveUnknownEntries: true),
    FeedScenario(scenario: .firstOpening, beginsWithFeed: false, mayHaveUnknownEntries: true),
    FeedScenario(scenario: .openingAndWriting, mayHaveUnknownEntries: true),
    FeedScenario(scenario: .write),
    FeedScenario(scenario: .durableWrite),
    FeedScenario(scenario: .statementOfItsOwn),
    FeedScenario(scenario: .transactionInSQL),
    FeedScenario(scenario: .repeatedCommit),
    FeedScenario(scenario: .savepoints),
    FeedScenario(scenario: .repeatedRelease),
    FeedScenario(scenario: .mixture),
    FeedScenario(scenario: .counters, mayHaveUnknownEntries: true),
    FeedScenario(scenario: .acknowledgement),
    FeedScenario(scenario: .largeWrite, storesParts: true),
    // About five writes.
    FeedScenario(scenario: .removal, feed: ChangeFeedConfiguration(keptByteCount: 2_500)),
    FeedScenario(scenario: .checkpoint, mayHaveUnknownEntries: true),
    FeedScenario(scenario: .closing),
    FeedScenario(scenario: .queueWrite),
    FeedScenario(scenario: .queueTransactionInSQL),
    FeedScenario(scenario: .group),
    FeedScenario(scenario: .repeatedGroup, mayHaveUnknownEntries: true),
    FeedScenario(scenario: .largeGroup, storesParts: true),
  ]
}

extension Scenario {
  /// A database without a feed is opened with one.
  fileprivate static let firstOpening = Scenario(
    description: "the first opening", prepare: { _ in }, act: openingAndWriting.act)

  fileprivate static let openingAndWriting = Scenario(
    description: "opening and a write", prepare: { _ in },
    act: { world in
      if world.attempt("open", { try world.open() }) == nil { world.write() }
    })

  fileprivate static let transactionInSQL = Scenario(
    description: "a transaction in SQL", kind: .durablePool,
    act: { world in
      for _ in 0..<2 {
        world.writeInSQL { number, db in
          try db.execute(sql: "BEGIN IMMEDIATE")
          try World.insert(number, db)
          try db.execute(sql: "COMMIT")
        }
      }
    })

  fileprivate static let queueTransactionInSQL = Scenario(
    description: "a transaction in SQL in a queue", kind: .queue, act: transactionInSQL.act)

  /// A program that repeats a commit that has failed without ending the transaction.
  fileprivate static let repeatedCommit = Scenario(
    description: "a commit that is repeated", kind: .queue,
    act: { world in
      for _ in 0..<2 {
        world.writeInSQL { number, db in
          try db.execute(sql: "BEGIN IMMEDIATE")
          try World.insert(number, db)
          do {
            try db.execute(sql: "COMMIT")
          } catch  where db.isInsideTransaction {
            try db.execute(sql: "COMMIT")
          }
        }
      }
    })

  /// Transactions that change a counter of AUTOINCREMENT and `user_version`, which are read when they are committed.
  fileprivate static let counters = Scenario(
    description: "counters",
    prepare: { world in
      try world.open()
      try world.writer?.write { try $0.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT)") }
    },
    act: { world in
      for _ in 0..<2 {
        world.write { number in
          try world.writer?.write { db in
            try World.insert(number, db)
            try db.execute(sql: "INSERT INTO event DEFAULT VALUES; PRAGMA user_version = \(number)")
          }
        }
      }
    })

  /// A named consumer acknowledges in the transactions that write.
  fileprivate static let acknowledgement = Scenario(
    description: "an acknowledgement",
    prepare: { world in
      try world.open()
      try world.writer?.write { try $0.acknowledge($0.changeToken(), by: "consumer") }
      world.write()
    },
    act: { world in
      for _ in 0..<2 {
        world.write { number in
          try world.writer?.write { db in
            try World.insert(number, db)
            let token = try db.changeToken()
            try db.acknowledge(token, by: "consumer")
            try db.execute(sql: "UPDATE two SET filler = ? WHERE n = ?", arguments: [token.description, number])
          }
        }
      }
    },
    verify: { world in
      // The last write that acknowledged has also stored the token.
      let database = try DatabaseQueue(path: world.path)
      try database.read { db in
        let stored = try String.fetchOne(
          db, sql: "SELECT filler FROM two WHERE filler LIKE '%-%-%-%-%' ORDER BY n DESC LIMIT 1")
        let token = try db.acknowledgedToken(by: "consumer")
        if let stored, stored != token?.description {
          world.problem("\(stored) was stored, and \(token?.description ?? "nothing") acknowledged")
        }
        if token == nil { world.problem("there is no consumer any more") }
      }
    })

  /// The versions pass a multiple of 16 while the disk fails: old entries are removed then.
  fileprivate static let removal = Scenario(
    description: "the removal of old entries",
    prepare: { world in
      try world.open()
      while let version = try world.writer?.read({ try $0.changeToken().version.count }), version % 16 != 14 {
        world.write()
      }
    },
    act: { world in
      for _ in 0..<3 { world.write() }
    },
    verify: { world in
      let database = try DatabaseQueue(path: world.path)
      let (count, last) = try database.read { db in
        try (Int.fetchOne(db, sql: "SELECT count(*) FROM tidemark_feed") ?? 0, db.changeToken().version.count)
      }
      if last >= 16, count == last { world.problem("version \(last), and no entry was removed") }
    })
}

extension World {
  /// A write that begins and ends its transaction itself.
  fileprivate func writeInSQL(_ body: @escaping (Int, Database) throws -> Void) {
    write { number in try writer?.writeWithoutTransaction { db in try body(number, db) } }
  }
}
