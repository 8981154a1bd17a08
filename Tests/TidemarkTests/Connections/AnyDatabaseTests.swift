import Testing
import Tidemark

@testable import TidemarkEssentials

/// Type-erased databases forward all calls.
@Suite struct AnyDatabaseTests {
  @Test func anyReaderForwardsAllReads() async throws {
    var configuration = Configuration()
    configuration.label = "Shelf"
    let dbQueue = try DatabaseQueue.withBooks(configuration)
    let reader = AnyDatabaseReader(dbQueue)
    #expect(reader.path == dbQueue.path)
    #expect(reader.configuration.label == "Shelf")
    #expect(try synchronously { try reader.read { try $0.titles() } } == [])
    #expect(try synchronously { try reader.unsafeRead { try $0.titles() } } == [])
    #expect(try reader.unsafeReentrantRead { try $0.titles() } == [])
    #expect(try await reader.read { try $0.titles() } == [])
    #expect(try await reader.unsafeRead { try $0.titles() } == [])
    #expect(try await result { done in reader.asyncRead { value in done(Result { try value.get().titles() }) } } == [])
    #expect(
      try await result { done in reader.asyncUnsafeRead { value in done(Result { try value.get().titles() }) } } == [])
    #expect(throws: DatabaseError.self) { try reader.read { try $0.execute(sql: "DELETE FROM book") } }
    reader.interrupt()
    try reader.close()
    #expect(message { try dbQueue.read { _ in } } == closedMessage)
  }

  @Test func anyWriterForwardsAllWrites() async throws {
    let dbQueue = try DatabaseQueue.withBooks()
    let writer: any DatabaseWriter = AnyDatabaseWriter(dbQueue)
    let titles = Locked(0)
    let insert: @Sendable (Database) throws -> Void = { db in
      let title = titles.update {
        $0 += 1; return $0
      }
      try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["\(title)"])
    }
    try synchronously {
      try writer.write(insert)
      try writer.writeWithoutTransaction(insert)
      try writer.barrierWriteWithoutTransaction(insert)
      try writer.unsafeReentrantWrite(insert)
      try writer.vacuum()
    }
    try await writer.write(insert)
    try await writer.writeWithoutTransaction(insert)
    try await writer.barrierWriteWithoutTransaction(insert)
    try await result { done in writer.asyncWrite(insert, completion: { done($1) }) }
    try await result { done in writer.asyncWriteWithoutTransaction { db in done(Result { try insert(db) }) } }
    try await result { done in
      writer.asyncBarrierWriteWithoutTransaction { db in done(Result { try insert(db.get()) }) }
    }
    #expect(
      try await result { done in writer.spawnConcurrentRead { value in done(Result { try value.get().titles().count }) }
      } == 10)
    #expect(try await writer.read { try $0.titles().count } == 10)
    try await writer.erase()
    try writer.close()
  }

  @Test func `erasing an erased database adds no layer`() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    #expect(AnyDatabaseReader(AnyDatabaseWriter(AnyDatabaseWriter(dbQueue)))._core === dbQueue._core)
  }

  /// A database of the program, which wraps another one.
  private final class Library: DatabaseWriter {
    private let dbPool: DatabasePool
    var _core: _DatabaseCore { dbPool._core }

    init(_ dbPool: DatabasePool) {
      self.dbPool = dbPool
    }
  }

  @Test func `a wrapper has the accesses of its database`() async throws {
    let folder = try TemporaryFolder()
    let dbPool = try folder.pool()
    let library = Library(dbPool)
    try synchronously {
      try library.write { try $0.execute(sql: "CREATE TABLE book (title TEXT); INSERT INTO book VALUES ('Dune')") }
    }
    #expect(try await library.read { try String.fetchAll($0, sql: "SELECT title FROM book") } == ["Dune"])
    #expect(library.path == dbPool.path)
  }

  private func synchronously<T>(_ body: () throws -> T) rethrows -> T { try body() }

  private func result<T: Sendable>(
    _ body: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in body { continuation.resume(with: $0) } }
  }
}
