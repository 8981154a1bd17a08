import Testing
import Tidemark

/// The guarantees of `DatabaseRegionObservation`, on a queue and on a pool.
@Suite struct RegionObservationTests {
  private func follow(
    _ observation: DatabaseRegionObservation, in writer: any DatabaseWriter
  ) -> (counts: Deliveries<Int>, cancellable: AnyDatabaseCancellable) {
    let counts = Deliveries<Int>()
    let cancellable = observation.start(in: writer, onError: { counts.fail($0) }) { db in
      #expect(!db.isInsideTransaction)
      counts.append((try? db.playerCount()) ?? -1)
    }
    return (counts, cancellable)
  }

  @Test(arguments: Observed.allCases)
  func commitsInTheRegionAreReportedOnceBeforeTheWriteReturns(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (counts, cancellable) = follow(DatabaseRegionObservation(tracking: Table("player")), in: writer)
      try writer.write { db in
        try db.addPlayer("Arthur")
        try db.addPlayer("Barbara")
      }
      #expect(counts.values == [2])
      try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Red')") }
      try writer.write { try $0.addPlayer("Craig") }
      #expect(counts.values == [2, 3])
      cancellable.cancel()
      try writer.write { try $0.addPlayer("David") }
      #expect(counts.values == [2, 3])
    }
  }

  @Test(arguments: Observed.allCases)
  func regionsFollowTheSchema(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      try writer.write { db in
        try db.execute(
          sql: """
            CREATE TABLE t (id INTEGER PRIMARY KEY, a);
            CREATE TABLE x (id INTEGER PRIMARY KEY, a);
            CREATE VIEW v AS SELECT a FROM x;
            INSERT INTO t VALUES (1, 1);
            INSERT INTO x VALUES (1, 1);
            """)
      }
      let (table, first) = follow(
        DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM t")), in: writer)
      let (view, second) = follow(
        DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT * FROM v")), in: writer)
      // Each change of the schema is reported.
      try writer.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN n DEFAULT 5") }
      try writer.write { try $0.execute(sql: "ALTER TABLE x RENAME TO y; CREATE VIEW x AS SELECT * FROM y") }
      #expect((table.values.count, view.values.count) == (2, 2))
      try writer.write { try $0.execute(sql: "UPDATE t SET n = 6") }
      #expect((table.values.count, view.values.count) == (3, 2))
      try writer.write { try $0.execute(sql: "UPDATE y SET a = 7") }
      #expect((table.values.count, view.values.count) == (3, 3))
      // Any commit may create the table again.
      try writer.write { try $0.execute(sql: "DROP TABLE t") }
      try writer.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, z)") }
      #expect(table.values.count == 5)
      try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 2)") }
      try writer.write { try $0.execute(sql: "UPDATE y SET a = 8") }
      #expect((table.values.count, view.values.count) == (6, 6))
      first.cancel()
      second.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func `each commit is reported after the region has become invalid`(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let isInvalid = Locked(false)
      let region = AnyDatabaseRegionConvertible { db in
        if isInvalid.value { throw Planned() }
        return try Table("player").databaseRegion(db)
      }
      let (counts, cancellable) = follow(DatabaseRegionObservation(tracking: region), in: writer)
      try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Red')") }
      #expect(counts.values == [])
      isInvalid.update { $0 = true }
      try writer.write { try $0.execute(sql: "CREATE TABLE t (a)") }
      #expect(counts.values == [0])
      try writer.write { try $0.execute(sql: "INSERT INTO team (name) VALUES ('Blue')") }
      #expect(counts.values == [0, 0])
      cancellable.cancel()
    }
  }

  @Test func regionsFollowTheSchemaChangesOfOtherConnections() throws {
    let folder = try TemporaryFolder()
    let pool = try DatabasePool(path: folder.path("shared.sqlite"))
    let other = try DatabaseQueue(path: folder.path("shared.sqlite"))
    try pool.write { db in
      try db.execute(
        sql: "CREATE TABLE player (a); CREATE TABLE t (a); CREATE TABLE u (a); CREATE VIEW v AS SELECT a FROM t")
    }
    let (counts, cancellable) = follow(
      DatabaseRegionObservation(tracking: SQLRequest<Row>(sql: "SELECT a FROM v")), in: pool)
    try other.write { try $0.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT a FROM u") }
    try pool.write { try $0.execute(sql: "INSERT INTO player VALUES (1)") }
    // The first commit of the pool after the change is reported: it may have changed the new region.
    #expect(counts.values == [1])
    try pool.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
    #expect(counts.values == [1, 1])
    try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    #expect(counts.values == [1, 1])
    cancellable.cancel()
  }

  @Test(arguments: Observed.allCases)
  func newRowIDsOfAVacuumAreReported(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (counts, cancellable) = follow(DatabaseRegionObservation(tracking: Table("player")), in: writer)
      try writer.vacuum()
      #expect(counts.values == [0])
      try writer.write { try $0.addPlayer("Arthur") }
      #expect(counts.values == [0, 1])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func rollbacksAreNotReported(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let (counts, cancellable) = follow(DatabaseRegionObservation(tracking: .fullDatabase), in: writer)
      #expect(throws: Planned.self) {
        try writer.write { db in
          try db.addPlayer("Arthur")
          throw Planned()
        }
      }
      #expect(counts.values == [])
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func observersCanWrite(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let cancellable = DatabaseRegionObservation(tracking: Table("player"))
        .start(in: writer, onError: { _ in }) { db in
          #expect(throws: Never.self) { try db.execute(sql: "INSERT INTO team (name) VALUES ('told')") }
        }
      try writer.write { try $0.addPlayer("Arthur") }
      #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM team") } == 1)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func invalidRegionsThrowImmediately(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let request = SQLRequest<Row>(sql: "SELECT * FROM missing")
      let (counts, _) = follow(DatabaseRegionObservation(tracking: request), in: writer)
      let countsFailure = try counts.failureText()
      #expect(countsFailure.contains("no such table: missing"))
    }
  }

  @Test(arguments: Observed.allCases)
  func endedObservationsReleaseTheirClosure(_ observed: Observed) throws {
    final class Held: Sendable {}
    try observed.withDatabase { writer in
      weak var held: Held?
      do {
        let own = Held()
        held = own
        let cancellable = DatabaseRegionObservation(tracking: Table("player"))
          .start(in: AnyDatabaseWriter(writer), onError: { _ in }) { _ in withExtendedLifetime(own) {} }
        cancellable.cancel()
      }
      #expect(held == nil)
    }
  }

  @Test(arguments: Observed.allCases)
  func releasedObservationsEnd(_ observed: Observed) throws {
    try observed.withDatabase { writer in
      let counts = follow(DatabaseRegionObservation(tracking: Table("player")), in: writer).counts
      try writer.write { try $0.addPlayer("Arthur") }
      #expect(counts.values == [])
    }
  }
}
