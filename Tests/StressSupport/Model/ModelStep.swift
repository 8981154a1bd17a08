import Tidemark

/// A step of the closure of an access.
indirect enum ModelStep: Sendable {
  /// How a nested transaction ends.
  enum Ending: String, CaseIterable, Sendable { case commit, rollback, throwError }

  /// How a nested transaction begins.
  enum Nesting: String, CaseIterable, Sendable { case inSavepoint, sqlSavepoint, sqlTransaction, recording }

  case perform(ModelOperation, isCaught: Bool)
  case query(ModelQuery, isCaught: Bool)
  case nest(Nesting, [ModelStep], Ending, isCaught: Bool)

  /// Cancels the current task.
  case cancelTask

  static func list(_ random: inout RandomNumbers, depth: Int = 0) -> [ModelStep] {
    (0..<1 + random.below(depth == 0 ? 4 : 3)).map { _ in ModelStep(&random, depth: depth) }
  }

  init(_ random: inout RandomNumbers, depth: Int) {
    let isCaught = random.once(in: 3)
    switch random.below(12) {
    case 0..<2 where depth < 2:
      let nesting = Nesting.allCases.randomElement(using: &random) ?? .inSavepoint
      let steps = Self.list(&random, depth: depth + 1)
      // After SQLite has rolled back a transaction that was begun with SQL, other ones can begin.
      let isSQL = nesting == .sqlSavepoint || nesting == .sqlTransaction
      self = .nest(
        nesting, isSQL ? steps.map(\.withoutRollback) : steps,
        Ending.allCases.randomElement(using: &random) ?? .commit, isCaught: isCaught)
    case 2..<5: self = .query(ModelQuery(&random), isCaught: isCaught)
    default: self = .perform(ModelOperation(&random), isCaught: isCaught)
    }
  }

  /// The step with statements that do not roll back the transaction.
  private var withoutRollback: ModelStep {
    switch self {
    case .perform(.insertItem(let id, let item, .orRollback), let isCaught):
      .perform(.insertItem(id, item, .sql), isCaught: isCaught)
    case .nest(let nesting, let steps, let ending, let isCaught):
      .nest(nesting, steps.map(\.withoutRollback), ending, isCaught: isCaught)
    case .perform, .query, .cancelTask: self
    }
  }

  var text: String {
    switch self {
    case .perform(let operation, let isCaught): "\(isCaught ? "try? " : "")\(operation.text)"
    case .query(let query, let isCaught): "\(isCaught ? "try? " : "")fetch \(query.text)"
    case .nest(let nesting, let steps, let ending, let isCaught):
      "\(isCaught ? "try? " : "")\(nesting.rawValue) { \(Self.text(steps)); \(ending.rawValue) }"
    case .cancelTask: "cancel"
    }
  }

  static func text(_ steps: [ModelStep]) -> String { steps.map(\.text).joined(separator: "; ") }
}

/// The results of the steps of an access.
final class ModelLog: Sendable {
  private let lines = Mutex<[String]>([])
  private let abort = Mutex(false)

  func clear() { lines.withLock { $0 = [] } }

  /// The error of statements that write.
  let writeError: ModelError?

  init(writeError: ModelError? = nil) { self.writeError = writeError }

  /// Whether SQLite has rolled back the transaction.
  var isAborted: Bool {
    get { abort.withLock { $0 } }
    set { abort.withLock { $0 = newValue } }
  }

  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var text: String { lines.withLock { $0.joined(separator: " | ") } }
}

/// Executes steps on a connection.
struct ModelPerformer {
  let db: Database
  let log: ModelLog

  func run(_ steps: [ModelStep]) throws {
    for step in steps { try run(step) }
  }

  private func run(_ step: ModelStep) throws {
    switch step {
    case .perform(let operation, let isCaught):
      let wasInside = db.isInsideTransaction
      try add(isCaught) {
        defer { if wasInside, !db.isInsideTransaction { log.isAborted = true } }
        do {
          try operation.perform(db)
        } catch {
          // A statement is not always compiled again after another connection has removed its table.
          if !Task.isCancelled, ModelError(of: error) == .noTable, let other = log.writeError { throw other }
          throw error
        }
        return "ok"
      }
    case .query(let query, let isCaught): try add(isCaught) { try query.fetch(db) }
    case .nest(let nesting, let steps, let ending, let isCaught):
      try add(isCaught) {
        try nest(nesting, steps, ending)
        return "end"
      }
    case .cancelTask: withUnsafeCurrentTask { $0?.cancel() }
    }
  }

  private func add(_ isCaught: Bool, _ body: () throws -> String) throws {
    do {
      log.add(try body())
    } catch {
      var label = ModelError(of: error)
      // The library may compile a statement before it notices the cancellation, or that the transaction was aborted.
      if label == .noTable || label == .aborted && log.writeError == .aborted, Task.isCancelled { label = .cancelled }
      if label == .noTable, log.isAborted { label = .aborted }
      log.add(label.label)
      if !isCaught { throw label }
    }
  }

  private func nest(_ nesting: ModelStep.Nesting, _ steps: [ModelStep], _ ending: ModelStep.Ending) throws {
    let isOutermost = !db.isInsideTransaction && !log.isAborted
    defer { if isOutermost { log.isAborted = false } }
    switch nesting {
    case .inSavepoint:
      try db.inSavepoint {
        try run(steps)
        if ending == .throwError { throw ModelError.thrown }
        return ending == .commit ? .commit : .rollback
      }
    case .recording:
      // A recording can only be rolled back by an error.
      let changes = try db.recordingChanges {
        try run(steps)
        if ending != .commit { throw ModelError.thrown }
      }
      _ = try Changeset(decoding: changes.encoded())
    case .sqlTransaction:
      try db.execute(sql: "BEGIN")
      do {
        try run(steps)
        if ending == .throwError { throw ModelError.thrown }
        try db.execute(sql: ending == .commit ? "COMMIT" : "ROLLBACK")
      } catch {
        // SQLite may have rolled back the transaction: then this call allows further statements.
        try db.rollback()
        throw error
      }
    case .sqlSavepoint:
      try db.execute(sql: "SAVEPOINT own")
      do {
        try run(steps)
        if ending == .throwError { throw ModelError.thrown }
      } catch {
        try? db.execute(sql: "ROLLBACK TO own")
        try? db.execute(sql: "RELEASE own")
        if isOutermost, db.isInsideTransaction { try db.rollback() }
        throw error
      }
      if ending == .rollback { try db.execute(sql: "ROLLBACK TO own") }
      try db.execute(sql: "RELEASE own")
    }
  }
}
