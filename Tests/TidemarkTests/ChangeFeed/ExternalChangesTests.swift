import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Live queries after commits of other connections that write the change feed.
@Suite struct ExternalChangesTests {
  /// Queries of single rows of `player`, in a database that another connection writes, too.
  private final class Players {
    let own: FedDatabase.Opened
    let other: FedDatabase.Opened
    private var names: [Deliveries<String?>] = []
    private var cancellables: [AnyDatabaseCancellable] = []
    private var baseline = 0

    init(_ kind: FedDatabase, setUp: String = "") async throws {
      own = try kind.open()
      try own.execute(
        "INSERT INTO player (id, name, score) VALUES (1, '-', 0), (2, '-', 0), (3, '-', 0); \(setUp)")
      other = try kind.open(in: own.folder)
      for id in 1...3 {
        try observe(first: ["-"]) { db in
          try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = ?", arguments: [id])
        }
      }
      try otherExecutes("UPDATE player SET name = '0'")
      for deliveries in names { try deliveries.wait(forLast: "0") }
      baseline = own.writer.observationMetrics.wakeCount
    }

    /// Observes a further value, and waits for the first one.
    func observe(
      first values: Set<String?> = [nil], _ scheduler: some ValueObservationScheduler = Inline(),
      _ fetch: @escaping @Sendable (Database) throws -> String?
    ) throws {
      observe(fetch, scheduler)
      try names[names.count - 1].wait { $0.first.map(values.contains) == true }
    }

    private func observe(
      _ fetch: @escaping @Sendable (Database) throws -> String?, _ scheduler: some ValueObservationScheduler
    ) {
      let deliveries = Deliveries<String?>()
      names.append(deliveries)
      cancellables.append(
        ValueObservation.tracking(fetch).start(
          in: own.writer, scheduling: scheduler, onError: { deliveries.fail($0) }, onChange: { deliveries.append($0) }))
    }

    func otherExecutes(_ sql: String) throws { try other.execute(sql) }

    /// Waits for the name of a player.
    func wait(for name: String, of id: Int) throws { try names[id - 1].wait(forLast: name) }

    /// The number of queries that were fetched since the last call.
    func wakes() -> Int {
      let count = own.writer.observationMetrics.wakeCount
      defer { baseline = count }
      return count - baseline
    }
  }

  @Test(arguments: FedDatabase.shared)
  func `only queries that an external commit can have changed are fetched`(_ kind: FedDatabase) async throws {
    let players = try await Players(kind)
    try players.otherExecutes("UPDATE player SET name = 'a' WHERE id = 2")
    try players.wait(for: "a", of: 2)
    #expect(players.wakes() == 1)
    try players.otherExecutes("UPDATE player SET score = 5; INSERT INTO team VALUES (1, 'Red')")
    try players.otherExecutes("UPDATE player SET name = 'b' WHERE id = 3; DELETE FROM player WHERE id = 4")
    try players.wait(for: "b", of: 3)
    #expect(players.wakes() == 1)
  }

  @Test(arguments: FedDatabase.shared)
  func `own commits between external ones are not fetched twice`(_ kind: FedDatabase) async throws {
    let players = try await Players(kind)
    for number in 1...5 {
      try players.own.execute("UPDATE player SET name = 'own \(number)' WHERE id = 1")
      try players.wait(for: "own \(number)", of: 1)
      try players.otherExecutes("UPDATE player SET name = 'other \(number)' WHERE id = 2")
      try players.wait(for: "other \(number)", of: 2)
    }
    #expect(players.wakes() == 10)
  }

  @Test(arguments: FedDatabase.shared)
  func `a commit without the feed fetches each query once`(_ kind: FedDatabase) async throws {
    let players = try await Players(kind)
    try players.own.strangerExecutes("UPDATE player SET name = 'stranger' WHERE id = 1")
    try players.wait(for: "stranger", of: 1)
    // The next entry says that there was an unknown commit.
    try players.otherExecutes("UPDATE player SET name = 'a' WHERE id = 2")
    try players.wait(for: "a", of: 2)
    #expect(players.wakes() == 4)
    try players.otherExecutes("UPDATE player SET name = 'b' WHERE id = 3")
    try players.wait(for: "b", of: 3)
    #expect(players.wakes() == 1)
  }

  @Test(arguments: FedDatabase.shared)
  func `a commit without the feed before an own one is noticed`(_ kind: FedDatabase) async throws {
    let players = try await Players(kind)
    try players.own.withoutTransaction { db in
      try players.own.strangerExecutes("UPDATE player SET name = 'stranger' WHERE id = 1")
      try db.execute(sql: "UPDATE player SET name = 'own' WHERE id = 2")
    }
    try players.wait(for: "stranger", of: 1)
    try players.wait(for: "own", of: 2)
  }

  @Test func `a query that is first fetched in an older snapshot does not miss an external commit`() async throws {
    let players = try await Players(.pool)
    try players.own.writer.unsafeReentrantRead { db in
      try db.inTransaction(.deferred) {
        _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        try players.otherExecutes("UPDATE player SET name = 'a'")
        try players.wait(for: "a", of: 2)
        // The value of the older snapshot, or of a fetch after it that has ended first.
        try players.observe(first: ["0", "a"], ImmediateScheduler()) {
          try String.fetchOne($0, sql: "SELECT max(name) FROM player")
        }
        return .commit
      }
    }
    try players.wait(for: "a", of: 4)
  }

  @Test(arguments: FedDatabase.shared)
  func `an external change of the schema fetches all queries`(_ kind: FedDatabase) async throws {
    let players = try await Players(kind)
    try players.otherExecutes("ALTER TABLE team RENAME TO squad; UPDATE player SET name = 'a' WHERE id = 2")
    try players.wait(for: "a", of: 2)
    #expect(players.wakes() == 3)
    try players.otherExecutes("ALTER TABLE player ADD COLUMN size INTEGER; UPDATE player SET name = 'b', size = 1")
    for id in 1...3 { try players.wait(for: "b", of: id) }
    _ = players.wakes()
    try players.otherExecutes("UPDATE player SET name = 'c' WHERE id = 1")
    try players.wait(for: "c", of: 1)
    #expect(players.wakes() == 1)
  }

  @Test(arguments: FedDatabase.shared, ["STORED", "VIRTUAL"])
  func `generated columns have unknown values, and change with their row`(
    _ kind: FedDatabase, storage: String
  ) async throws {
    let players = try await Players(
      kind,
      setUp: """
        CREATE TABLE box (a, id INTEGER PRIMARY KEY, twice AS (n * 2) \(storage), n INTEGER, m REAL);
        INSERT INTO box (a, id, n, m) VALUES ('a', 7, 1, 1), ('b', 8, 1, 1)
        """)
    for id in [7, 8] {
      try players.observe(first: ["2"]) {
        try String.fetchOne($0, sql: "SELECT twice FROM box WHERE id = ?", arguments: [id])
      }
    }
    try players.observe { try String.fetchOne($0, sql: "SELECT group_concat(id) FROM box WHERE twice = 4") }
    try players.observe { try String.fetchOne($0, sql: "SELECT group_concat(id) FROM box WHERE m = 3") }
    _ = players.wakes()
    try players.otherExecutes("UPDATE box SET n = 2 WHERE id = 8")
    try players.wait(for: "4", of: 5)
    try players.wait(for: "8", of: 6)
    #expect(players.wakes() == 2)
    try players.otherExecutes("INSERT INTO box (a, id, n, m) VALUES ('c', 9, 2, 3)")
    try players.wait(for: "8,9", of: 6)
    try players.wait(for: "9", of: 7)
    #expect(players.wakes() == 2)
  }

  @Test(arguments: FedDatabase.shared)
  func `rows without row IDs are found by their key`(_ kind: FedDatabase) async throws {
    let players = try await Players(
      kind, setUp: "CREATE TABLE word (text TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID")
    for text in ["a", "b"] {
      try players.observe { try String.fetchOne($0, sql: "SELECT n FROM word WHERE text = ?", arguments: [text]) }
    }
    try players.otherExecutes("INSERT INTO word VALUES ('a', 1), ('b', 1)")
    try players.wait(for: "1", of: 4)
    try players.wait(for: "1", of: 5)
    _ = players.wakes()
    try players.otherExecutes("UPDATE word SET n = 2 WHERE text = 'b'")
    try players.wait(for: "2", of: 5)
    #expect(players.wakes() == 1)
  }

  @Test(arguments: FedDatabase.shared)
  func `external changes of the counters and of the feed are noticed`(_ kind: FedDatabase) async throws {
    let players = try await Players(
      kind, setUp: "CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO event VALUES (1)")
    try players.observe { try String.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE seq > 1") }
    try players.observe { try String.fetchOne($0, sql: "SELECT name FROM tidemark_feed_consumer") }
    try players.otherExecutes("INSERT INTO event VALUES (5)")
    try players.wait(for: "5", of: 4)
    try players.other.write { try $0.acknowledge($0.changeToken(), by: "mail") }
    try players.wait(for: "mail", of: 5)
  }

  @Test(arguments: FedDatabase.shared)
  func `more external changes than are read at once fetch all queries`(_ kind: FedDatabase) async throws {
    let players = try await Players(kind)
    try players.own.withoutTransaction { db in
      // On a queue, nothing is read meanwhile.
      for number in 1...600 { try players.otherExecutes("UPDATE player SET name = '\(number)' WHERE id = 1") }
    }
    try players.wait(for: "600", of: 1)
    try players.otherExecutes("UPDATE player SET name = 'a' WHERE id = 2")
    try players.wait(for: "a", of: 2)
  }
}

/// The versions of own transactions, without a database.
@Suite struct RecordedVersionsTests {
  private let versions = RecordedVersions()

  private func commit(_ version: UInt64) {
    versions.transactionIsStored(version, mark: version)
    versions.transactionDidEnd(version)
  }

  private func known(_ range: ClosedRange<UInt64>, by reader: RecordedVersions.Reader) -> [UInt64] {
    range.filter { reader.isOwn($0, mark: $0) }
  }

  @Test func `versions are known from the beginning of the commit until all readers have passed them`() {
    commit(1)
    let reader = versions.addReader()
    var other: RecordedVersions.Reader? = versions.addReader()
    versions.transactionIsStored(4, mark: 4)
    #expect(known(1...10, by: reader) == [4])
    versions.transactionDidEnd(4)
    for version: UInt64 in [5, 6, 9] { commit(version) }
    #expect(known(1...10, by: reader) == [4, 5, 6, 9])
    reader.pass(through: 8)
    #expect(known(1...10, by: reader) == [4, 5, 6, 9])
    other?.pass(through: 6)
    #expect(known(1...10, by: reader) == [9])
    other = nil
    reader.pass(through: 9)
    #expect(known(1...10, by: reader).isEmpty)
  }

  @Test func `a reader that is added while a transaction is open knows its version`() {
    versions.transactionIsStored(4, mark: 4)
    let reader = versions.addReader()
    #expect(known(1...10, by: reader) == [4])
    versions.transactionDidEnd(4)
    #expect(known(1...10, by: reader) == [4])
  }

  @Test func `the version of a transaction that is rolled back belongs to another connection`() {
    let reader = versions.addReader()
    versions.transactionIsStored(4, mark: 77)
    #expect(reader.isOwn(4, mark: 77))
    #expect(!reader.isOwn(4, mark: 78))
    versions.transactionDidEnd(nil)
    #expect(!reader.isOwn(4, mark: 77))
  }

  @Test func `the oldest of many versions are forgotten`() {
    let reader = versions.addReader()
    for number: UInt64 in 1...1_001 { commit(2 * number) }
    #expect(known(1...5, by: reader) == [4])
    #expect(!reader.areKnown(after: 1))
    #expect(reader.areKnown(after: 2))
  }

  @Test func `the versions of another history are forgotten`() {
    let reader = versions.addReader()
    reader.pass(through: 8)
    commit(9)
    reader.pass(through: 1)
    #expect(known(1...10, by: reader).isEmpty)
  }
}

/// The numbers of states whose external commits are known.
@Suite struct ExternalCommitNumberingTests {
  private var numbering = ExternalCommitNumbering()

  @Test mutating func `states have the same number if the rows of all external commits between them are reported`() {
    numbering.stateIsRead(4)
    #expect(numbering.number(of: 4) == 4)
    #expect(numbering.number(of: 5) == 5)
    numbering.rowsAreReported(upTo: 5)
    numbering.rowsAreReported(upTo: 7)
    #expect(numbering.number(of: 7) == 4)
    #expect(numbering.number(of: 8) == 8)
  }

  @Test mutating func `after unknown changes, states have other numbers`() {
    numbering.stateIsRead(4)
    numbering.changesAreUnknown()
    numbering.rowsAreReported(upTo: 6)
    #expect(numbering.number(of: 6) == 6)
    numbering.rowsAreReported(upTo: 7)
    #expect(numbering.number(of: 7) == 6)
  }

  @Test mutating func `rows up to an unknown state connect no states`() {
    numbering.stateIsRead(4)
    numbering.rowsAreReported(upTo: nil)
    numbering.rowsAreReported(upTo: 6)
    #expect(numbering.number(of: 6) == 6)
    // A read of the same state changes nothing.
    numbering.stateIsRead(6)
    numbering.rowsAreReported(upTo: 6)
    #expect(numbering.number(of: 6) == 6)
  }
}
