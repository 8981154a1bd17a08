import Testing
import Tidemark

/// The common behaviour of queue, pool and snapshot when they read.
@Suite struct ReaderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: TestReader.allCases)
  func allAccessFormsRead(kind: TestReader) async throws {
    let reader = try kind.open(in: folder)
    #expect(try synchronously { try reader.read { try $0.numbers() } } == [1, 2, 3])
    #expect(try synchronously { try reader.unsafeRead { try $0.numbers() } } == [1, 2, 3])
    #expect(try reader.unsafeReentrantRead { try $0.numbers() } == [1, 2, 3])
    #expect(try await reader.read { try $0.numbers() } == [1, 2, 3])
    #expect(try await reader.unsafeRead { try $0.numbers() } == [1, 2, 3])
    #expect(try await later(reader.asyncRead) { try $0.numbers() } == [1, 2, 3])
    #expect(try await later(reader.asyncUnsafeRead) { try $0.numbers() } == [1, 2, 3])
  }

  @Test(arguments: TestReader.allCases)
  func readersRefuseWrites(kind: TestReader) throws {
    let reader = try kind.open(in: folder)
    for sql in ["INSERT INTO t VALUES (4)", "DROP TABLE t", "CREATE TABLE u (n)"] {
      #expect(resultCode { try reader.read { try $0.execute(sql: sql) } } == .SQLITE_READONLY)
    }
    #expect(try reader.read { try $0.numbers() } == [1, 2, 3])
  }

  @Test(arguments: TestReader.allCases)
  func closureErrorsAreThrown(kind: TestReader) async throws {
    let reader = try kind.open(in: folder)
    #expect(throws: Planned.self) { try synchronously { try reader.read { _ in throw Planned() } } }
    #expect(throws: Planned.self) { try reader.unsafeReentrantRead { _ in throw Planned() } }
    await #expect(throws: Planned.self) { try await reader.read { _ in throw Planned() } }
    await #expect(throws: Planned.self) { try await reader.unsafeRead { _ in throw Planned() } }
    #expect(try await reader.read { try $0.numbers() } == [1, 2, 3])
  }

  @Test(arguments: TestReader.allCases)
  func nestedAccessesUseTheSameConnection(kind: TestReader) throws {
    let reader = try kind.open(in: folder)
    try reader.read { db in
      try reader.unsafeReentrantRead { #expect($0 === db) }
    }
  }

  @Test(arguments: TestReader.allCases)
  func anAccessThatEndsItsTransactionFailsOnce(kind: TestReader) async throws {
    let reader = try kind.open(in: folder)
    let calls = Journal<Bool>()
    let end = Moment()
    reader.asyncRead { result in
      // The access will have nothing to commit.
      if case .success(let db) = result { try? db.execute(sql: "ROLLBACK") }
      calls.append((try? result.get()) != nil)
    }
    // It runs after this one.
    reader.asyncRead { _ in end.happen() }
    await end.reached()
    #expect(calls.entries == [true])
  }

  // MARK: - After the end

  @Test(arguments: TestReader.allCases)
  func allAccessFormsFailAfterClose(kind: TestReader) async throws {
    let reader = try kind.open(in: folder)
    _ = try await reader.read { try $0.numbers() }
    try reader.close()
    let synchronous: [() throws -> Void] = [
      { _ = try reader.read { try $0.numbers() } }, { _ = try reader.unsafeRead { try $0.numbers() } },
      { _ = try reader.unsafeReentrantRead { try $0.numbers() } },
    ]
    for access in synchronous { #expect(message(of: access) == closedMessage) }
    let asynchronous: [() async throws -> Void] = [
      { _ = try await reader.read { try $0.numbers() } }, { _ = try await reader.unsafeRead { try $0.numbers() } },
      { _ = try await later(reader.asyncRead) { try $0.numbers() } },
      { _ = try await later(reader.asyncUnsafeRead) { try $0.numbers() } },
    ]
    for access in asynchronous { #expect(await message(of: access) == closedMessage) }
  }

  @Test(arguments: TestReader.allCases)
  func closingTwiceSucceeds(kind: TestReader) throws {
    let reader = try kind.open(in: folder)
    try reader.close()
    try reader.close()
    #expect(folder.descriptorCount == 0)
  }

  @Test(arguments: [TestReader.queue, .readonlyQueue, .snapshot])
  func retainedStatementsPreventClosing(kind: TestReader) throws {
    let reader = try kind.open(in: folder)
    nonisolated(unsafe) var statement: Tidemark.Statement?
    try reader.unsafeReentrantRead { statement = try $0.makeStatement(sql: "SELECT n FROM t") }
    #expect(resultCode { try reader.close() } == .SQLITE_BUSY)
    #expect(statement != nil)
    // It is as usable as before.
    #expect(try reader.read { try $0.numbers() } == [1, 2, 3])
    statement = nil
    try reader.close()
    #expect(folder.descriptorCount == 0)
  }

  // MARK: - What an access leaves behind (guarantee P6)

  @Test(arguments: [TestReader.queue, .pool, .readonlyPool])
  func escapedCursorsReleaseTheirSnapshot(kind: TestReader) throws {
    let reader = try kind.open(in: folder)
    nonisolated(unsafe) var cursor: RowCursor?
    try reader.unsafeReentrantRead { db in
      cursor = try Row.fetchCursor(db, sql: "SELECT n FROM t")
      _ = try cursor?.next()
    }
    let writer = try folder.pool()
    try writer.write { try $0.insert(4) }
    // The connection is the only reader.
    #expect(try reader.read { try $0.numbers() } == [1, 2, 3, 4])
    #expect(cursor != nil)
  }

  @Test func openTransactionsTrap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool()
      try pool.unsafeReentrantRead { try $0.execute(sql: "BEGIN") }
    }
    #expect(result.words.contains("A transaction has been left opened at the end of a database access"))
  }

  @Test func nestedReadTraps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = try TemporaryFolder()
      let pool = try folder.tablePool()
      try pool.read { _ in _ = try pool.read { try $0.numbers() } }
    }
    #expect(result.words.contains("Database methods are not reentrant."))
  }
}

/// The result of an access with a callback.
func later<Value: Sendable>(
  _ access: (@escaping @Sendable (Result<Database, any Error>) -> Void) -> Void,
  _ body: @escaping @Sendable (Database) throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    access { result in
      continuation.resume(with: Result { try body(result.get()) })
    }
  }
}
