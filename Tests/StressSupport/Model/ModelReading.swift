import Foundation
import Tidemark

/// Reads, in one of many styles, and perhaps tries to write.
struct ModelRead: ModelCommand {
  enum Style: String, CaseIterable, Sendable {
    case sync, async, unsafe, asyncUnsafe, reentrant, asyncRead, asyncUnsafeRead, inline, concurrent, insideWrite
    case cancelledBefore, cancelledInside
  }

  private let slot: Int
  private let style: Style
  private let steps: [ModelStep]

  init(_ random: inout RandomNumbers) {
    slot = random.slot()
    style = Style.allCases.randomElement(using: &random) ?? .sync
    var steps = (0..<1 + random.below(2)).map { _ in
      ModelStep.query(ModelQuery(&random), isCaught: random.once(in: 4))
    }
    if random.once(in: 6) { steps.append(.perform(ModelOperation(&random), isCaught: random.once(in: 2))) }
    if style == .cancelledInside { steps.insert(.cancelTask, at: random.below(steps.count + 1)) }
    self.steps = steps
  }

  init(slot: Int, _ style: Style, _ steps: [ModelStep]) { (self.slot, self.style, self.steps) = (slot, style, steps) }

  /// Whether the style prevents writes.
  private var isIsolated: Bool {
    switch style {
    case .sync, .async, .asyncRead, .inline, .concurrent, .cancelledBefore, .cancelledInside: true
    case .unsafe, .asyncUnsafe, .reentrant, .asyncUnsafeRead, .insideWrite: false
    }
  }

  /// In a queue, and in a write of a pool, unsafe reads can write. The documentation says that they should not.
  private var usedSteps: [ModelStep] {
    if isIsolated { return steps }
    return steps.filter {
      if case .perform = $0 { false } else { true }
    }
  }

  func execute(in world: ModelWorld) throws -> Bool {
    guard let database = world.databases[slot] else { return false }
    if style == .inline, database.pool == nil { return false }
    // A concurrent read is scheduled in a write.
    var simulation = database.simulation(.autocommit, world.fault)
    simulation.writeError = database.isSuspended && database.pool == nil ? .aborted : .readonly
    let log = ModelLog(writeError: simulation.writeError)
    let expected = expectation(&simulation, isPool: database.pool != nil)
    try world.check(
      "db\(slot).\(style.rawValue) read { \(ModelStep.text(usedSteps)) }", expected + " [\(simulation.log)]"
    ) {
      let result = outcome {
        try call(database, log)
        return "ok"
      }
      return result + " [\(log.text)]"
    }
    world.count(expected == "ok" ? "\(style.rawValue) ok" : String(expected.dropFirst(7)))
    return true
  }

  private func expectation(_ simulation: inout ModelSimulation, isPool: Bool) -> String {
    do throws(ModelError) {
      if style == .cancelledBefore { throw .cancelled }
      // A synchronous access of a queue, or of a writer, that only rethrows errors begins also when it is closed.
      let begins = style == .insideWrite || !isPool && (style == .unsafe || style == .reentrant)
      if let error = simulation.error, !begins { throw error }
      try simulation.run(usedSteps)
      return "ok"
    } catch {
      return "throws \(error.label)"
    }
  }

  private func call(_ database: ModelDatabase, _ log: ModelLog) throws {
    let writer = database.writer
    let steps = usedSteps
    @Sendable func body(_ db: Database) throws {
      log.clear()
      try ModelPerformer(db: db, log: log).run(steps)
    }
    switch style {
    case .sync: try writer.read { try body($0) }
    case .async, .cancelledInside: try waiting { try await writer.read { try body($0) } }
    case .unsafe: try writer.unsafeRead { try body($0) }
    case .asyncUnsafe: try waiting { try await writer.unsafeRead { try body($0) } }
    case .reentrant: try writer.unsafeReentrantRead { _ in try writer.unsafeReentrantRead { try body($0) } }
    case .asyncRead:
      try waitingForCallback { done in writer.asyncRead { db in done(Result { try body(db.get()) }) } }
    case .asyncUnsafeRead:
      try waitingForCallback { done in writer.asyncUnsafeRead { db in done(Result { try body(db.get()) }) } }
    case .inline:
      guard let pool = database.pool else { return }
      try waiting { try await pool.readInline { try body($0) } }
    case .concurrent:
      try waitingForCallback { done in
        writer.writeWithoutTransaction { _ in
          writer.spawnConcurrentRead { db in done(Result { try body(db.get()) }) }
        }
      }
    case .insideWrite:
      try writer.writeWithoutTransaction { _ in try writer.unsafeReentrantRead { try body($0) } }
    case .cancelledBefore: try waiting(isCancelled: true) { try await writer.read { try body($0) } }
    }
  }
}
