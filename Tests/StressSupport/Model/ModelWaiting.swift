import Foundation
import Tidemark

/// Accesses that wait for a lock, or whose statement does not end by itself.
struct ModelWait: ModelCommand {
  private enum Action: String, CaseIterable { case blockedWrite, endless }
  private enum End: String, CaseIterable { case timeLimit, cancellation, interruption }

  private let slot: Int
  private let other: Int
  private let action: Action
  private let end: End
  private let operation: ModelOperation
  private let query: ModelQuery
  private let isWrite: Bool

  init(_ random: inout RandomNumbers) {
    slot = random.slot()
    other = random.below(3)
    action = Action.allCases.randomElement(using: &random) ?? .endless
    end = End.allCases.randomElement(using: &random) ?? .timeLimit
    operation = ModelOperation(&random)
    query = ModelQuery(&random)
    isWrite = random.once(in: 2)
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot], database.error == nil, database.writeError == nil else { return false }
    world.command = action == .endless ? "Endless" : "BlockedWrite"
    if case .insertItem(_, _, .orRollback) = operation, action == .blockedWrite { return false }
    if action == .endless { return try interruptEndlessStatement(database, world) }
    guard let other = world.databases[other], other !== database, other.file === database.file, other.error == nil,
      other.writeError == nil, end != .interruption
    else { return false }
    return try block(other, by: database, world)
  }

  /// Reads and writes while another connection is inside a transaction.
  private func block(_ other: ModelDatabase, by database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    let before = database.file.content
    var simulation = database.simulation(.autocommit, world.fault)
    let step = ModelStep.perform(operation, isCaught: true)
    // The steps cannot throw.
    do throws(ModelError) { try simulation.transaction([step], .commit) } catch { try world.fail("\(error)") }
    let expectedRead: String
    do throws(ModelError) { expectedRead = try query.result(in: before) } catch { expectedRead = "throws \(error)" }
    let expectedWrite = end == .timeLimit ? "throws INTERRUPT" : "throws cancelled"
    let log = ModelLog()
    try world.check(
      """
      db\(slot).transaction { \(step.text); db\(self.other).read { \(query.text) }; \
      db\(self.other).write { insert } until the \(end.rawValue) }
      """, "\(simulation.log) / \(expectedRead) / \(expectedWrite)"
    ) {
      let result = Mutex("")
      try database.writer.writeWithoutTransaction { db in
        try db.inTransaction(.immediate) {
          try ModelPerformer(db: db, log: log).run([step])
          let read = outcome { try other.writer.read { try query.fetch($0) } }
          let write = outcome { try writeUntilTheEnd(other.writer) }
          result.withLock { $0 = "\(read) / \(write)" }
          return .commit
        }
      }
      return "\(log.text) / \(result.withLock { $0 })"
    }
    world.count(end.rawValue)
    database.file.commit(simulation.commits)
    try database.recorder?.check(before, database.file.content, world)
    return true
  }

  private func writeUntilTheEnd(_ writer: any DatabaseWriter) throws -> String {
    if end == .timeLimit {
      return try Database.withAccessTimeLimit(.milliseconds(2)) {
        try writer.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        return "ok"
      }
    }
    return try waitingForCallback { done in
      let task = Task {
        do {
          try await writer.write { try $0.execute(sql: "PRAGMA user_version = 99") }
          done(.success("ok"))
        } catch {
          done(.failure(error))
        }
      }
      task.cancel()
    }
  }

  /// Ends a statement that runs.
  private func interruptEndlessStatement(_ database: ModelDatabase, _ world: ModelWorld) throws -> Bool {
    let writer = database.writer
    if end == .interruption { world.didInterrupt(database) }
    let expected = end == .cancellation ? "throws cancelled" : "throws INTERRUPT"
    let (end, isWrite) = (end, isWrite)
    let isRunning = Mutex(false)
    let isDone = Mutex(false)
    @Sendable func run(_ db: Database) throws {
      if isWrite { try db.execute(sql: "PRAGMA user_version = 77") }
      isRunning.withLock { $0 = true }
      _ = try Int.fetchOne(db, sql: Self.endlessSQL)
    }
    @Sendable func access() async throws {
      if isWrite { try await writer.write { try run($0) } } else { try await writer.read { try run($0) } }
    }
    try world.check(
      "db\(slot).\(isWrite ? "write" : "read") { an endless statement } until the \(end.rawValue)", expected
    ) {
      try waitingForCallback { (done: @escaping @Sendable (Result<String, any Error>) -> Void) in
        let task = Task {
          defer { isDone.withLock { $0 = true } }
          do {
            if end == .timeLimit {
              try await Database.withAccessTimeLimit(.milliseconds(3)) { try await access() }
            } else {
              try await access()
            }
            done(.success("ok"))
          } catch {
            done(.failure(error))
          }
        }
        if end == .timeLimit { return }
        // An interruption before the statement has no effect on it.
        while !isRunning.withLock({ $0 }), !isDone.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.000_1) }
        if end == .cancellation { return task.cancel() }
        while !isDone.withLock({ $0 }) {
          writer.interrupt()
          Thread.sleep(forTimeInterval: 0.000_1)
        }
      }
    }
    world.count("\(end.rawValue) of a \(isWrite ? "write" : "read")")
    return true
  }

  private static let endlessSQL = """
    WITH RECURSIVE endless (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT max(n) FROM endless
    """
}
