import Testing
import Tidemark

@testable import TidemarkEssentials

/// The replication of full-text tables and R*Trees.
@Suite struct VirtualTableReplicationTests {
  private static let modules = [
    "fts3(a, b)", "fts4(a, b)", "fts4(a, b, content='', order=desc)", "fts5(a, b)",
    "fts5(a, b, content='', columnsize=0)", "fts5(a, b, prefix='1 2', detail=none)",
  ]

  private func expectIntact(_ pair: ReplicatedPair, _ table: String = "f") throws {
    try pair.expectEqual()
    // FTS4 cannot check an index without content.
    let query = "SELECT sql FROM sqlite_master WHERE name = '\(table)'"
    let sql = try pair.source.read { try String.fetchOne($0, sql: query) }
    if sql?.contains("content=''") == true { return }
    for database in [pair.source, pair.target] {
      try database.write { try $0.execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('integrity-check')") }
    }
  }

  private func matches(_ database: any DatabaseReader, _ word: String, in table: String = "f") throws -> [Int] {
    try database.read { db in
      try Int.fetchAll(db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rowid", arguments: [word])
    }
  }

  @Test(arguments: modules)
  func `a full-text table is created, filled and dropped`(_ module: String) throws {
    let pair = try ReplicatedPair("CREATE TABLE t (a)")
    let changes = try pair.check(
      "INSERT INTO t VALUES (1); CREATE VIRTUAL TABLE f USING \(module); INSERT INTO t VALUES (2)")
    #expect(changes.count == 3)
    try expectIntact(pair)
    for number in 1...5 {
      let rows = "(\(number), 'red green', 'blue \(number)'), (\(number + 10), 'red', 'x')"
      try pair.replicate("INSERT INTO f (rowid, a, b) VALUES \(rows)")
      try expectIntact(pair)
      #expect(try matches(pair.target, "red") == (Array(1...number) + (1...number).map { $0 + 10 }))
    }
    let change = try pair.check("DROP TABLE f")
    #expect(change == ["DROP TABLE f"])
    try pair.check("CREATE VIRTUAL TABLE f USING \(module); INSERT INTO f (rowid, a, b) VALUES (3, 'red', 'green')")
    #expect(try matches(pair.target, "green") == [3])
  }

  @Test(arguments: ["fts3(a, b)", "fts4(a, b)", "fts5(a, b)"])
  func `both databases write into a full-text table in turn`(_ module: String) throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE f USING \(module); INSERT INTO f VALUES ('one', 'two')")
    for number in 1...20 {
      try pair.replicate("INSERT INTO f VALUES ('source', 'n\(number)'); UPDATE f SET b = 'x' || b WHERE rowid = 1")
      #expect(try matches(pair.target, "n\(number)").count == 1)
      try pair.replicateBack("INSERT INTO f VALUES ('target', 'm\(number)'); DELETE FROM f WHERE rowid = 2")
      #expect(try matches(pair.source, "m\(number)").count == 1)
      try expectIntact(pair)
    }
    try pair.replicate("INSERT INTO f (f) VALUES ('optimize')")
    try expectIntact(pair)
    try pair.replicateBack("INSERT INTO f (f) VALUES ('rebuild'); DELETE FROM f")
    try expectIntact(pair)
    #expect(try matches(pair.source, "one").isEmpty)
  }

  @Test func `an external content table is replicated with its triggers`() throws {
    let pair = try ReplicatedPair()
    try pair.check(
      """
      CREATE TABLE doc (id INTEGER PRIMARY KEY, text);
      CREATE VIRTUAL TABLE f USING fts5(text, content='doc', content_rowid='id');
      CREATE TRIGGER i AFTER INSERT ON doc BEGIN INSERT INTO f (rowid, text) VALUES (new.id, new.text); END;
      CREATE TRIGGER d AFTER DELETE ON doc BEGIN
        INSERT INTO f (f, rowid, text) VALUES ('delete', old.id, old.text); END;
      INSERT INTO doc VALUES (1, 'red'), (2, 'green');
      """)
    try pair.check("INSERT INTO doc VALUES (3, 'red'); DELETE FROM doc WHERE id = 1")
    #expect(try matches(pair.target, "red") == [3])
    try expectIntact(pair)
  }

  @Test(arguments: ["fts3(a)", "fts4(a)", "fts5(a)"])
  func `a full-text table is renamed between writes`(_ module: String) throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE f USING \(module); INSERT INTO f VALUES ('one')")
    try pair.check(
      """
      INSERT INTO f VALUES ('two');
      ALTER TABLE f RENAME TO g;
      INSERT INTO g VALUES ('three');
      UPDATE g SET a = 'x' || a;
      """)
    #expect(try matches(pair.target, "xtwo OR xthree", in: "g") == [2, 3])
    try expectIntact(pair, "g")
    try pair.replicateBack("INSERT INTO g VALUES ('four')")
    #expect(try matches(pair.source, "four", in: "g") == [4])
    try expectIntact(pair, "g")
  }

  @Test func `a virtual table is created, filled, dropped and created again in one write`() throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE g USING fts5(a)")
    try pair.check(
      """
      INSERT INTO g VALUES ('before');
      CREATE VIRTUAL TABLE f USING fts5(a);
      INSERT INTO f VALUES ('one');
      INSERT INTO g VALUES ('between');
      DROP TABLE f;
      CREATE VIRTUAL TABLE f USING fts4(a);
      INSERT INTO f VALUES ('two');
      DROP TABLE IF EXISTS missing;
      CREATE VIRTUAL TABLE IF NOT EXISTS f USING fts5(a);
      """)
    #expect(try matches(pair.target, "two") == [1])
    #expect(try matches(pair.target, "before OR between", in: "g") == [1, 2])
    try expectIntact(pair)
    try expectIntact(pair, "g")
  }

  @Test(arguments: ["rtree(id, x1, x2, y1, y2, +name)", "rtree_i32(id, x1, x2, y1, y2)"])
  func `an R*Tree is replicated`(_ module: String) throws {
    let pair = try ReplicatedPair()
    try pair.check("CREATE VIRTUAL TABLE r USING \(module)")
    let numbers = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
    try pair.check("INSERT INTO r (id, x1, x2, y1, y2) \(numbers) SELECT i, i, i + 1, -i, i FROM n")
    for number in 1...5 {
      try pair.check("UPDATE r SET x2 = x2 + 1 WHERE id % 7 = \(number); DELETE FROM r WHERE id = \(number)")
      try pair.replicateBack("INSERT INTO r (id, x1, x2, y1, y2) VALUES (\(1000 + number), 5, 6, 7, 8)")
      try pair.expectEqual()
      for database in [pair.source, pair.target] {
        let (check, count) = try database.read { db in
          (
            try String.fetchOne(db, sql: "SELECT rtreecheck('r')"),
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM r WHERE x1 = 5 AND y1 = 7")
          )
        }
        #expect(check == "ok")
        #expect(count == number)
      }
    }
    try pair.check("ALTER TABLE r RENAME TO s; DELETE FROM s; DROP TABLE s")
  }

  @Test func `settings of a full-text table are replicated`() throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE f USING fts5(a)")
    for number in 1...20 { try pair.check("INSERT INTO f VALUES ('red \(number)')") }
    try pair.check(
      """
      INSERT INTO f (f, rank) VALUES ('automerge', 2);
      INSERT INTO f (f, rank) VALUES ('pgsz', 64);
      INSERT INTO f VALUES ('green');
      INSERT INTO f (f, rank) VALUES ('rank', 'bm25(10.0)');
      INSERT INTO f (f, rank) VALUES ('merge', 4);
      """)
    for number in 1...20 { try pair.replicateBack("INSERT INTO f VALUES ('red \(number)')") }
    try expectIntact(pair)
  }

  @Test func `undone writes of full-text tables are not replicated`() throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE f USING fts5(a); CREATE TABLE t (a UNIQUE)")
    try pair.replicate { db in
      try db.execute(sql: "INSERT INTO f VALUES ('one')")
      try db.inSavepoint {
        try db.execute(sql: "INSERT INTO f VALUES ('two'); CREATE VIRTUAL TABLE g USING fts5(a); DROP TABLE t")
        return .rollback
      }
      try db.execute(sql: "INSERT INTO f VALUES ('three'); INSERT INTO t VALUES (1)")
      #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE VIRTUAL TABLE g USING fts5(a, a)") }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(a)") }
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (2), (1)") }
    }
    #expect(try matches(pair.target, "one OR two OR three") == [1, 2])
    try expectIntact(pair)
  }

  @Test func `virtual tables of other modules are refused, and those without content are accepted`() throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE f USING fts5(a)")
    try pair.check("CREATE VIRTUAL TABLE v USING fts5vocab(f, row); INSERT INTO f VALUES ('a b')")
    #expect(try pair.target.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM v") } == 2)
    try pair.check("DROP TABLE v")
    try pair.replicate { db throws in
      let error = #expect(throws: DatabaseError.self) {
        try db.execute(sql: "CREATE VIRTUAL TABLE main.x USING dbstat(main)")
      }
      #expect(error?.resultCode == .SQLITE_MISUSE)
    }
    try pair.expectEqual()
  }

  @Test func `temporary virtual tables stay local`() throws {
    let pair = try ReplicatedPair("CREATE TABLE t (a)")
    let changes = try pair.check(
      """
      CREATE VIRTUAL TABLE temp.f USING fts5(a);
      INSERT INTO f VALUES ('one');
      INSERT INTO t SELECT a FROM f;
      ALTER TABLE f RENAME TO g;
      DROP TABLE g;
      """)
    #expect(changes == ["INSERT t [1]: a \"one\""])
  }

  @Test func `an observation of a full-text query sees applied changes`() async throws {
    let setup = "CREATE VIRTUAL TABLE f USING fts5(a); INSERT INTO f VALUES ('red')"
    let pair = try ReplicatedPair(setup)
    // The connection has cached the structure of the index.
    #expect(try matches(pair.target, "red") == [1])
    let observation = ValueObservation.tracking { db in
      try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM f WHERE f MATCH 'red'") ?? 0
    }
    var expected = [1, 2, 3]
    for try await count in observation.values(in: pair.target) {
      #expect(count == expected.removeFirst())
      if expected.isEmpty { break }
      try pair.replicate("INSERT INTO f VALUES ('red'), ('green')")
    }
  }

  @Test func `the readers of a pool see applied changes`() throws {
    let folder = try TemporaryFolder()
    let target = try DatabasePool(path: folder.path("target.sqlite"))
    let pair = try ReplicatedPair(
      DatabaseQueue(), target, "CREATE VIRTUAL TABLE f USING fts5(a); CREATE VIRTUAL TABLE r USING rtree(id, x1, x2)")
    for number in 1...10 {
      try pair.replicate("INSERT INTO f VALUES ('n\(number) red'); INSERT INTO r VALUES (\(number), 0, 1)")
      #expect(try matches(target, "red").count == number)
      #expect(try target.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM r WHERE x1 = 0") } == number)
    }
    try expectIntact(pair)
  }

  @Test func `virtual tables are reloaded only after their content was applied, outside of transactions`() throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE f USING fts5(a)")
    let elements = try pair.source.recordReplicated { try $0.execute(sql: "INSERT INTO f VALUES ('red')") }
    try pair.target.writeWithoutTransaction { db in
      try db.reloadVirtualTables()
      try db.inTransaction {
        try db.applyReplicatedChanges(elements)
        #expect(throws: DatabaseError.self) { try db.reloadVirtualTables() }
        return .commit
      }
      let effectCount = db.effectCount
      try db.reloadVirtualTables()
      #expect(db.effectCount > effectCount)
    }
    try expectIntact(pair)
  }

  @Test func `a defensive connection is defensive again after changes were applied`() throws {
    let pair = try ReplicatedPair("CREATE VIRTUAL TABLE f USING fts5(a)")
    try pair.check("INSERT INTO f VALUES ('red')")
    try pair.target.write { db throws in
      _ = #expect(throws: DatabaseError.self) { try db.execute(sql: "DELETE FROM f_data") }
    }
  }
}
