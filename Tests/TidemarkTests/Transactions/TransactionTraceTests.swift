import Foundation
import Testing
import Tidemark

/// The SQL that transactions execute. Abbreviations: see `TraceRecorder.summary`.
@Suite struct TransactionTraceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var expected: String
    var isReadonly = false
    var run: @Sendable (DatabaseQueue) throws -> Void

    init(
      _ name: String, _ expected: String, isReadonly: Bool = false,
      _ run: @escaping @Sendable (DatabaseQueue) throws -> Void
    ) {
      testDescription = name
      self.expected = expected
      self.isReadonly = isReadonly
      self.run = run
    }
  }

  static let one: @Sendable (Database) throws -> Void = { try $0.execute(sql: "SELECT 1") }

  // swift-format-ignore
  static let cases = [
    Case("write", "BI | SELECT 1 | C") { try $0.write(one) },
    Case("write that throws", "BI | SELECT 1 | R") { try $0.write { try one($0); throw Planned() } },
    Case("empty write", "BI | C") { try $0.write { _ in } },
    Case("read", "Q1 | BD | SELECT 1 | C | Q0") { try $0.read(one) },
    Case("read that throws", "Q1 | BD | SELECT 1 | R | Q0") { try $0.read { try one($0); throw Planned() } },
    Case("read of a readonly queue", "BD | SELECT 1 | C", isReadonly: true) { try $0.read(one) },
    Case("unsafeRead", "SELECT 1") { try $0.unsafeRead(one) },
    Case("unsafeReentrantRead", "SELECT 1") { try $0.unsafeReentrantRead(one) },
    Case("unsafeReentrantWrite", "SELECT 1") { try $0.unsafeReentrantWrite(one) },
    Case("writeWithoutTransaction", "SELECT 1") { try $0.writeWithoutTransaction(one) },
    Case("barrierWriteWithoutTransaction", "SELECT 1") { try $0.barrierWriteWithoutTransaction(one) },
    Case("inDatabase", "SELECT 1") { try $0.inDatabase(one) },
    Case("spawnConcurrentRead", "SELECT 1 | Q1 | BD | SELECT 1 | C | Q0") { queue in
      try queue.inDatabase { db in try one(db); queue.spawnConcurrentRead { result in try? one(result.get()) } }
    },
    Case("queue.inTransaction", "BI | SELECT 1 | C") { try $0.inTransaction { try one($0); return .commit } },
    Case("queue.inTransaction, rolled back", "BD | SELECT 1 | R") { try $0.inTransaction(.deferred) { try one($0); return .rollback } },
    Case("inTransaction", "BI | C") { try $0.inDatabase { try $0.inTransaction { .commit } } },
    Case("inTransaction deferred", "BD | C") { try $0.inDatabase { try $0.inTransaction(.deferred) { .commit } } },
    Case("inTransaction immediate", "BI | C") { try $0.inDatabase { try $0.inTransaction(.immediate) { .commit } } },
    Case("inTransaction exclusive", "BE | C") { try $0.inDatabase { try $0.inTransaction(.exclusive) { .commit } } },
    Case("inTransaction, readonly", "BD | C", isReadonly: true) { try $0.inDatabase { try $0.inTransaction { .commit } } },
    Case("inTransaction, throws", "BI | R") { try $0.inDatabase { try $0.inTransaction { throw Planned() } } },
    Case("inSavepoint alone", "BI | C") { try $0.inDatabase { try $0.inSavepoint { .commit } } },
    Case("inSavepoint alone, rolled back", "BI | R") { try $0.inDatabase { try $0.inSavepoint { .rollback } } },
    Case("inSavepoint inside", "BI | S | SELECT 1 | RS | C") { try $0.write { db in try db.inSavepoint { try one(db); return .commit } } },
    Case("inSavepoint inside, rolled back", "BI | S | RT | RS | C") { try $0.write { try $0.inSavepoint { .rollback } } },
    Case("inSavepoint inside, throws", "BI | S | RT | RS | R") { try $0.write { try $0.inSavepoint { throw Planned() } } },
    Case("inSavepoint inside, throws and is caught", "BI | S | RT | RS | C") { try $0.write { try? $0.inSavepoint { throw Planned() } } },
    Case("inSavepoint in inSavepoint", "BI | S | S | RT | RS | RS | C") {
      try $0.write { db in try db.inSavepoint { try db.inSavepoint { .rollback }; return .commit } }
    },
    Case("begin, commit", "BI | C") { try $0.inDatabase { try $0.beginTransaction(); try $0.commit() } },
    Case("begin, rollback", "BE | R") { try $0.inDatabase { try $0.beginTransaction(.exclusive); try $0.rollback() } },
    Case("rollback alone", "") { try $0.inDatabase { try $0.rollback() } },
    Case("readOnly", "Q1 | SELECT 1 | Q0") { try $0.inDatabase { db in try db.readOnly { try one(db) } } },
    Case("readOnly in readOnly", "Q1 | SELECT 1 | Q0") { try $0.inDatabase { db in try db.readOnly { try db.readOnly { try one(db) } } } },
    Case("readOnly that throws", "Q1 | Q0") { try $0.inDatabase { try $0.readOnly { throw Planned() } } },
    Case("readOnly, readonly", "SELECT 1", isReadonly: true) { try $0.inDatabase { db in try db.readOnly { try one(db) } } },
    Case("inTransaction in readOnly", "Q1 | BD | C | Q0") { try $0.inDatabase { db in try db.readOnly { try db.inTransaction { .commit } } } },
    Case("vacuum", "VACUUM") { try $0.vacuum() },
  ]

  @Test(arguments: cases)
  func transactionsRunThisSQL(_ test: Case) throws {
    let trace = TraceRecorder()
    var configuration = Configuration()
    configuration.readonly = test.isReadonly
    let dbQueue = try trace.makeQueue(configuration)
    do {
      try test.run(dbQueue)
    } catch is Planned {
    }
    // The inner statements of VACUUM appear as comments.
    #expect(trace.summary.components(separatedBy: " | --").first == test.expected)
  }

  @Test func asynchronousWritesCompleteAfterTheTransaction() async throws {
    let trace = TraceRecorder()
    let dbQueue = try trace.makeQueue()
    for fails in [false, true] {
      let ends: (isInside: Bool, hasFailed: Bool) = await withCheckedContinuation { continuation in
        dbQueue.asyncWrite({ _ throws -> Void in if fails { throw Planned() } }) { db, result in
          continuation.resume(returning: (db.isInsideTransaction, (try? result.get()) == nil))
        }
      }
      #expect(!ends.isInside)
      #expect(ends.hasFailed == fails)
    }
    #expect(trace.summary == "BI | C | BI | R")
  }

  @Test func asynchronousAccessesRunTheSameSQL() async throws {
    let trace = TraceRecorder()
    let dbQueue = try trace.makeQueue()
    try await dbQueue.write { try $0.execute(sql: "SELECT 1") }
    try await dbQueue.read { try $0.execute(sql: "SELECT 2") }
    try await dbQueue.unsafeRead { try $0.execute(sql: "SELECT 3") }
    try await dbQueue.writeWithoutTransaction { try $0.execute(sql: "SELECT 4") }
    try await dbQueue.barrierWriteWithoutTransaction { try $0.execute(sql: "SELECT 5") }
    await withCheckedContinuation { continuation in
      dbQueue.asyncRead { result in
        try? result.get().execute(sql: "SELECT 6")
        continuation.resume()
      }
    }
    // The read ends after its closure: one more access waits for that.
    try await dbQueue.unsafeRead { try $0.execute(sql: "SELECT 7") }
    #expect(
      trace.summary == """
        BI | SELECT 1 | C | Q1 | BD | SELECT 2 | C | Q0 | SELECT 3 | SELECT 4 | SELECT 5 \
        | Q1 | BD | SELECT 6 | C | Q0 | SELECT 7
        """)
  }
}
