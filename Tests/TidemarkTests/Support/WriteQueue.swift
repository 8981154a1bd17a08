import Foundation
import Tidemark

@testable import TidemarkEssentials

/// Asynchronous writes that wait for the writer together, in a known order, so that they share a transaction.
final class WriteQueue: Sendable {
  let database: any DatabaseWriter
  private let isHeld = Signal()
  private let mayContinue = Signal()
  private var gate: AccessGate { database._core.ownWriter.gate }

  init(_ database: any DatabaseWriter) throws {
    self.database = database
    onThread { [self] in
      database.writeWithoutTransaction { _ in
        isHeld.fire()
        try? mayContinue.wait()
      }
    }
    try isHeld.wait()
  }

  /// Adds a write behind the others.
  func add<Result: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Task<Result, any Error> {
    try await add { [database] in try await database.write(updates) }
  }

  /// Adds an access that waits for the writer behind the others.
  func add<Result: Sendable>(
    access: @escaping @Sendable () async throws -> Result
  ) async throws -> Task<Result, any Error> {
    let count = gate.entryCount
    let task = Task(operation: access)
    try await waitUntil("an access that waits") { [gate] in gate.entryCount > count }
    return task
  }

  /// Lets the writes begin.
  func start() { mayContinue.fire() }
}

/// A database whose writes share transactions, with a table `t(a UNIQUE)`.
struct GroupedWrites {
  enum Kind: CaseIterable {
    case pool
    case queue
  }

  let folder: TemporaryFolder
  let trace = TraceRecorder()

  /// The time does not pass on its own, so that it does not end a group.
  let clock = FakeClock()

  init() throws { folder = try TemporaryFolder() }

  func open(_ kind: Kind, _ configure: (inout Configuration) -> Void = { _ in }) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.groupsWrites = true
    configuration.environment.clock = clock.clock
    trace.attach(to: &configuration)
    configure(&configuration)
    let database: any DatabaseWriter =
      switch kind {
      case .pool: try DatabasePool(path: folder.path("db"), configuration: configuration)
      case .queue: try DatabaseQueue(path: folder.path("db"), configuration: configuration)
      }
    try database.write { try $0.execute(sql: "CREATE TABLE t(a UNIQUE)") }
    return database
  }

  /// The transactions of SQLite since the trace was cleared.
  var transactions: [String] {
    trace.summary.components(separatedBy: "BI | ").filter { !$0.isEmpty }
      .map { $0.hasSuffix(" | ") ? String($0.dropLast(3)) : $0 }
  }
}

extension Database {
  @discardableResult
  func add(_ number: Int) throws -> Int {
    try execute(sql: "INSERT INTO t VALUES (\(number))")
    return number
  }

  func all() throws -> [Int] { try Int.fetchAll(self, sql: "SELECT a FROM t ORDER BY a") }
}
