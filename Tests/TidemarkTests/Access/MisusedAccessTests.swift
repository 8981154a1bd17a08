import Foundation
import Testing
import Tidemark

/// Nested accesses, and connections used outside of their access (hazards S6, S7).
@Suite struct MisusedAccessTests {
  static let reentrant = "Database methods are not reentrant."
  static let escaped = "Database was not used on the correct thread."

  /// Accesses that must not start inside another one.
  static let innerAccesses: [@Sendable (DatabaseQueue) throws -> Void] = [
    { try $0.read { _ in } },
    { try $0.write { _ in } },
    { $0.unsafeRead { _ in } },
    { $0.inDatabase { _ in } },
    { try $0.inTransaction { _ in .commit } },
    { $0.writeWithoutTransaction { _ in } },
    { $0.barrierWriteWithoutTransaction { _ in } },
    { $0.releaseMemory() },
    { try $0.close() },
    { try AnyDatabaseWriter($0).read { _ in } },
    { try $0.backup(to: $0) },
  ]

  @Test(arguments: innerAccesses.indices)
  func nestedAccessTraps(_ index: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [index = index as Int] in
      let dbQueue = try DatabaseQueue()
      try dbQueue.write { _ in try MisusedAccessTests.innerAccesses[index](dbQueue) }
    }
    #expect(result.words.contains(Self.reentrant))
    #expect(result.words.contains("use the `db` argument of that access"))
  }

  @Test func nestedAccessInsideAnAsynchronousAccessTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dbQueue = try DatabaseQueue()
      try await dbQueue.write { _ in try dbQueue.read { _ in } }
    }
    #expect(result.words.contains(Self.reentrant))
  }

  @Test func accessesToSeveralDatabasesCanBeNested() throws {
    let one = try DatabaseQueue.withBooks()
    let other = try DatabaseQueue.withBooks()
    try one.write { db1 in
      try other.write { db2 in
        try db1.execute(sql: "INSERT INTO book (title) VALUES ('a')")
        try db2.execute(sql: "INSERT INTO book (title) VALUES ('b')")
      }
      #expect(try db1.titles() == ["a"])
    }
    #expect(try other.read { try $0.titles() } == ["b"])
  }

  @Test func reentrantAccessesUseTheOuterOne() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
      try dbQueue.unsafeReentrantWrite { inner in
        #expect(inner === db)
        #expect(inner.isInsideTransaction)
        try inner.execute(sql: "INSERT INTO book (title) VALUES ('b')")
      }
      #expect(try dbQueue.unsafeReentrantRead { try $0.titles() } == ["a", "b"])
    }
    // Outside, they are accesses of their own.
    #expect(try dbQueue.unsafeReentrantRead { try $0.titles() } == ["a", "b"])
    try dbQueue.unsafeReentrantWrite { try $0.execute(sql: "DELETE FROM book") }
  }

  @Test func reentrantAccessErrorsBelongToTheOuterAccess() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book (title) VALUES ('a')")
      #expect(throws: Planned()) { try dbQueue.unsafeReentrantWrite { _ in throw Planned() } }
      // The transaction belongs to the outer access, and continues.
      #expect(db.isInsideTransaction)
    }
    #expect(try dbQueue.read { try $0.titles() } == ["a"])
  }

  @Test func aThrowingAccessReleasesTheQueue() throws {
    let dbQueue = try DatabaseQueue()
    #expect(throws: Planned()) { try dbQueue.read { _ in throw Planned() } }
    #expect(throws: Planned()) { try dbQueue.write { _ in throw Planned() } }
    try dbQueue.write { _ in }
  }

  // MARK: Escape

  /// Uses of a connection whose access has ended.
  static let uses: [@Sendable (Database) throws -> Void] = [
    { try $0.execute(sql: "SELECT 1") },
    { _ = try Int.fetchOne($0, sql: "SELECT 1") },
    { _ = try $0.makeStatement(sql: "SELECT 1") },
    { _ = try $0.cachedStatement(sql: "SELECT 1") },
    { _ = try $0.allStatements(sql: "SELECT 1") },
    { try $0.inTransaction { .commit } },
    { try $0.readOnly {} },
    { $0.add(function: .capitalize) },
    { $0.add(collation: .unicodeCompare) },
    { $0.releaseMemory() },
    { $0.trace { _ in } },
    { _ = $0.isInsideTransaction },
    { _ = $0.lastInsertedRowID },
    { _ = $0.changesCount },
    { _ = $0.totalChangesCount },
    { _ = $0.lastErrorCode },
    { _ = $0.lastErrorMessage },
    { _ = $0.maximumStatementArgumentCount },
    { _ = try $0.transactionDate },
  ]

  @Test(arguments: uses.indices)
  func usingAConnectionOutsideItsAccessTraps(_ index: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [index = index as Int] in
      let dbQueue = try DatabaseQueue()
      let db = dbQueue.inDatabase { UnsafeTransfer($0) }
      try MisusedAccessTests.uses[index](db.value)
    }
    #expect(result.words.contains(Self.escaped))
    #expect(result.words.contains("Fetch what you need as arrays or values"))
  }

  @Test func usingAConnectionOnAnotherThreadTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try DatabaseQueue().inDatabase { db in
        let db = UnsafeTransfer(db)
        let end = Signal()
        onThread {
          try? db.value.execute(sql: "SELECT 1")
          end.fire()
        }
        try end.wait()
      }
    }
    #expect(result.words.contains(Self.escaped))
  }

  @Test func usingAStatementOutsideItsAccessTraps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dbQueue = try DatabaseQueue()
      let statement = try dbQueue.inDatabase { UnsafeTransfer(try $0.makeStatement(sql: "SELECT 1")) }
      try statement.value.execute()
    }
    #expect(result.words.contains(Self.escaped))
  }

  @Test func statementsAndCursorsCanBeReleasedAnywhere() throws {
    let dbQueue = try DatabaseQueue()
    let sql = "WITH n(i) AS (VALUES (1), (2)) SELECT i FROM n"
    for _ in 0..<20 {
      let (statement, cursor) = try dbQueue.inDatabase { db in
        let cursor = try Int.fetchCursor(db, sql: sql)
        _ = try cursor.next()
        return (UnsafeTransfer(Box(try db.makeStatement(sql: sql))), UnsafeTransfer(Box(cursor)))
      }
      let end = Signal()
      onThread {
        statement.value.content = nil
        cursor.value.content = nil
        end.fire()
      }
      // The connection is used meanwhile.
      for _ in 0..<10 { #expect(try dbQueue.read { try Int.fetchAll($0, sql: sql) } == [1, 2]) }
      try end.wait()
    }
    try dbQueue.close()
  }
}

/// Sends a value that the compiler refuses to send.
struct UnsafeTransfer<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// Keeps an object alive until it is released.
final class Box<Content> {
  var content: Content?
  init(_ content: Content) { self.content = content }
}
