import Testing
import Tidemark

/// The isolation of reads in a pool (invariants 1, 2 and 3 of `DatabasePool`).
@Suite struct PoolIsolationTests {
  let folder: TemporaryFolder
  let pool: DatabasePool

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool()
  }

  @Test func readsSeeOneState() throws {
    let pool = pool
    try pool.read { db in
      #expect(try db.numbers() == [])
      try Background { try pool.write { try $0.insert(1) } }.value()
      #expect(try db.numbers() == [])
      try Background { try pool.write { try $0.execute(sql: "DROP TABLE t") } }.value()
      #expect(try db.numbers() == [])
    }
  }

  @Test func asynchronousReadsSeeOneState() async throws {
    let pool = pool
    let counts = try await pool.read { db in
      let before = try db.numbers()
      try Background { try pool.write { try $0.insert(1) } }.value()
      return (before, try db.numbers())
    }
    #expect(counts == ([], []))
  }

  @Test func unsafeReadsSeeConcurrentWrites() throws {
    let pool = pool
    try pool.unsafeRead { db in
      #expect(try db.numbers() == [])
      try Background { try pool.write { try $0.insert(1) } }.value()
      #expect(try db.numbers() == [1])
    }
  }

  @Test func readsSeeEarlierWrites() async throws {
    // Each of the readers, several times.
    for number in 1...50 {
      try await pool.write { try $0.insert(number) }
      #expect(try await pool.read { try $0.numbers() }.last == number)
      #expect(try synchronously { try pool.read { try $0.numbers() } }.last == number)
      #expect(try await pool.readInline { try $0.numbers() }.last == number)
    }
  }

  @Test func readsDoNotSeeUncommittedChanges() throws {
    let pool = pool
    try pool.write { db in
      try db.insert(1)
      #expect(try Background { try pool.read { try $0.numbers() } }.value() == [])
    }
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  @Test func readsAndWritesDoNotWaitForEachOther() throws {
    let pool = pool
    let reads = try (0..<4).map { _ in
      try LongAccess { last in
        try pool.read { db in
          _ = try db.numbers()
          try last()
          return try db.numbers()
        }
      }
    }
    try pool.write { db in
      try db.insert(1)
      // The fifth reader.
      #expect(try Background { try pool.read { try $0.numbers() } }.value() == [])
    }
    for read in reads { #expect(try read.end() == []) }
  }

  @Test func readerCountIsLimited() throws {
    let pool = pool
    let areReading = (0..<5).map { _ in Moment() }
    // Each read ends when all of them have begun.
    let reads = areReading.map { isReading in
      Background {
        try pool.read { _ in
          isReading.happen()
          for other in areReading { try other.wait() }
        }
      }
    }
    for read in reads { try read.value() }
    #expect(Set(try pool.read { $0.description }).count > 0)
  }

  @Test func readersAreReusedAndNumbered() throws {
    for _ in 0..<10 {
      #expect(try pool.read { $0.description } == "Tidemark.DatabasePool.reader.1")
      #expect(try pool.unsafeRead { $0.description } == "Tidemark.DatabasePool.reader.1")
    }
    #expect(pool.writeWithoutTransaction { $0.description } == "Tidemark.DatabasePool.writer")
    let name = try pool.read { [pool] _ in try Background { try pool.read { $0.description } }.value() }
    #expect(name == "Tidemark.DatabasePool.reader.2")
  }

  @Test func reentrantReadInsideAWriteSeesUncommittedChanges() throws {
    let read = { [pool] (writing: Database) in
      try pool.unsafeReentrantRead { db throws in
        #expect(db === writing)
        #expect(try db.numbers() == [1])
      }
    }
    let erased: any DatabaseReader = AnyDatabaseWriter(pool)
    try pool.write { db in
      try db.insert(1)
      try read(db)
      try erased.unsafeReentrantRead { #expect($0 === db) }
      try db.execute(sql: "DELETE FROM t")
    }
    try pool.writeInTransaction { db in
      try db.insert(1)
      try read(db)
      return .rollback
    }
    try pool.barrierWriteWithoutTransaction { db in
      try db.insert(1)
      try read(db)
      try db.execute(sql: "DELETE FROM t")
    }
  }

  @Test func aReentrantReadIsPartOfTheInnermostAccess() throws {
    try pool.read { reader in
      try pool.write { writer in
        try pool.unsafeReentrantRead { #expect($0 === writer) }
      }
      try pool.unsafeReentrantRead { #expect($0 === reader) }
    }
    try pool.write { writer in
      try pool.read { reader in
        try pool.unsafeReentrantRead { #expect($0 === reader) }
      }
      try pool.unsafeReentrantRead { #expect($0 === writer) }
    }
  }

  @Test func readersHaveTheirOwnSettings() throws {
    let pragmas = ["query_only", "journal_mode"]
    let values = try pool.read { db in try pragmas.map { try String.fetchOne(db, sql: "PRAGMA \($0)") } }
    #expect(values == ["0", "wal"])
    let synchronous = try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
    #expect(synchronous == 1)
  }

  @Test func readersSeeSchemaChanges() async throws {
    for number in 1...5 {
      try await pool.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c\(number) DEFAULT \(number)") }
      let row = try await pool.read { db in
        try db.execute(sql: "SELECT 1")
        return try Row.fetchAll(db, sql: "SELECT * FROM t").map(\.count)
      }
      #expect(row.allSatisfy { $0 == number + 1 })
      try await pool.write { try $0.insert(number, columns: number + 1) }
    }
  }

  @Test func failedWritesLeaveNoChange() async throws {
    let pool = pool
    #expect(throws: Planned.self) {
      try synchronously {
        try pool.write { db in
          try db.insert(1)
          throw Planned()
        }
      }
    }
    await #expect(throws: DatabaseError.self) {
      try await pool.write { db in
        try db.insert(2)
        try db.execute(sql: "INSERT INTO nothing VALUES (1)")
      }
    }
    try await pool.writeWithoutTransaction { #expect(!$0.isInsideTransaction) }
    #expect(try await pool.read { try $0.numbers() } == [])
    try await pool.write { try $0.insert(3) }
    #expect(try await pool.read { try $0.numbers() } == [3])
  }

  @Test func readsInsideAWriteSeeTheStateBeforeIt() throws {
    try pool.write { db in
      try db.insert(1)
      #expect(try pool.read { try $0.numbers() } == [])
    }
  }
}

extension Database {
  fileprivate func insert(_ number: Int, columns: Int) throws {
    try execute(sql: "INSERT INTO t VALUES (\(Array(repeating: "\(number)", count: columns).joined(separator: ",")))")
  }
}
