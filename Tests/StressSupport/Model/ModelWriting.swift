import Foundation
import Tidemark

/// Writes, in one of many styles.
struct ModelWrite: ModelCommand {
  enum Style: String, CaseIterable, Sendable {
    case sync, async, asyncWrite, inTransaction, barrier, asyncBarrier, reentrant, autocommit, asyncAutocommit
    case cancelledBefore, cancelledInside, cancelledInsideAutocommit
  }

  private let slot: Int
  private let style: Style
  private let steps: [ModelStep]
  private let ending: ModelStep.Ending

  init(_ random: inout RandomNumbers) {
    slot = random.slot()
    style = Style.allCases.randomElement(using: &random) ?? .sync
    var steps = ModelStep.list(&random)
    if style == .cancelledInside || style == .cancelledInsideAutocommit {
      steps.insert(.cancelTask, at: random.below(steps.count + 1))
    }
    self.steps = steps
    ending = random.once(in: 3) ? ModelStep.Ending.allCases.randomElement(using: &random) ?? .commit : .commit
  }

  init(slot: Int, _ style: Style, _ steps: [ModelStep]) {
    (self.slot, self.style, self.steps, ending) = (slot, style, steps, .commit)
  }

  /// How the transaction ends, if the style permits it.
  private var usedEnding: ModelStep.Ending {
    switch style {
    case .inTransaction, .barrier, .asyncBarrier, .reentrant: ending
    default: ending == .rollback ? .throwError : ending
    }
  }

  private var isAutocommit: Bool {
    style == .autocommit || style == .asyncAutocommit || style == .cancelledInsideAutocommit
  }

  @discardableResult func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot] else { return false }
    var simulation = database.simulation(.autocommit, world.fault)
    let expected = expectation(&simulation)
    let before = database.file.content
    let log = ModelLog(writeError: simulation.writeError)
    world.willCommit?(simulation.commits)
    try world.check(
      "db\(slot).\(style.rawValue) { \(ModelStep.text(steps)); \(usedEnding.rawValue) }",
      expected + " [\(simulation.log)]"
    ) {
      let result = outcome {
        try call(database, log)
        plant(world.fault)
        return "ok"
      }
      return result + " [\(log.text)]"
    }
    world.count(expected == "ok" ? "\(style.rawValue) ok" : String(expected.dropFirst(7)))
    database.file.commit(simulation.commits)
    try database.recorder?.check(before, database.file.content, world)
    return true
  }

  private func plant(_ fault: ModelFault?) {
    if case .perform(.setVersion, _) = steps.first, fault == .crashes { fatalError("a planted crash") }
    if case .perform(.dropIndex, _) = steps.first, fault == .hangs { DispatchSemaphore(value: 0).wait() }
  }

  private func expectation(_ simulation: inout ModelSimulation) -> String {
    do throws(ModelError) {
      if style == .cancelledBefore { throw .cancelled }
      // Asynchronous accesses of a closed database do not begin.
      if style != .autocommit, let error = simulation.error { throw error }
      if isAutocommit {
        try simulation.run(steps)
        if usedEnding == .throwError { throw .thrown }
      } else {
        try simulation.transaction(steps, usedEnding)
      }
      return "ok"
    } catch {
      return "throws \(error.label)"
    }
  }

  private func call(_ database: ModelDatabase, _ log: ModelLog) throws {
    let writer = database.writer
    let (steps, ending) = (steps, usedEnding)
    @Sendable func body(_ db: Database) throws {
      log.clear()
      log.isAborted = false
      try ModelPerformer(db: db, log: log).run(steps)
      if ending == .throwError { throw ModelError.thrown }
    }
    @Sendable func transaction(_ db: Database) throws {
      try db.inTransaction {
        try body(db)
        return ending == .commit ? .commit : .rollback
      }
    }
    switch style {
    case .sync: try writer.write { try body($0) }
    case .async: try waiting { try await writer.write { try body($0) } }
    case .asyncWrite:
      try waitingForCallback { done in
        writer.asyncWrite({ try body($0) }, completion: { _, result in done(result) })
      }
    case .inTransaction:
      if let pool = database.pool {
        try pool.writeInTransaction { db in
          try body(db)
          return ending == .commit ? .commit : .rollback
        }
      } else {
        try writer.writeWithoutTransaction { try transaction($0) }
      }
    case .barrier: try writer.barrierWriteWithoutTransaction { try transaction($0) }
    case .asyncBarrier: try waiting { try await writer.barrierWriteWithoutTransaction { try transaction($0) } }
    case .reentrant:
      try writer.unsafeReentrantWrite { _ in try writer.unsafeReentrantWrite { try transaction($0) } }
    case .autocommit: try writer.writeWithoutTransaction { try body($0) }
    case .asyncAutocommit, .cancelledInsideAutocommit:
      try waiting { try await writer.writeWithoutTransaction { try body($0) } }
    case .cancelledInside: try waiting { try await writer.write { try body($0) } }
    case .cancelledBefore: try waiting(isCancelled: true) { try await writer.write { try body($0) } }
    }
  }
}

/// Waits for an asynchronous function in a task of its own.
func waiting<T: Sendable>(
  isCancelled: Bool = false, _ body: @escaping @Sendable () async throws -> T
) throws -> T {
  try waitingForCallback { done in
    Task {
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      do {
        done(.success(try await body()))
      } catch {
        done(.failure(error))
      }
    }
  }
}

/// Waits until a callback is called.
func waitingForCallback<T: Sendable>(
  _ body: (@escaping @Sendable (Result<T, any Error>) -> Void) -> Void
) throws -> T {
  let result = Mutex<Result<T, any Error>?>(nil)
  let semaphore = DispatchSemaphore(value: 0)
  body { value in
    result.withLock { $0 = value }
    semaphore.signal()
  }
  // The watchdog notices a hang.
  semaphore.wait()
  guard let value = result.withLock({ $0 }) else { throw ModelError("the callback has no result") }
  return try value.get()
}
