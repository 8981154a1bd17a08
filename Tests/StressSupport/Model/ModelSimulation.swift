/// A defect of the harness or of its model, which the comparison must detect.
package enum ModelFault: String, CaseIterable, Sendable {
  /// The model does not undo savepoints that are rolled back.
  case forgetsRollback

  /// The model executes no foreign key actions.
  case forgetsCascade

  /// The harness drops each third value of an observation.
  case dropsValue

  /// The model of a snapshot shows the current content.
  case snapshotFollows

  /// The process crashes when the first statement of a write sets the user version.
  case crashes

  /// The process hangs when the first statement of a write drops an index.
  case hangs
}

/// The expected results of the steps of an access.
struct ModelSimulation {
  /// The state of the transaction.
  enum Mode: Equatable {
    /// Each statement is a transaction.
    case autocommit
    case transaction

    /// SQLite has rolled back the transaction: no statement runs.
    case aborted
  }

  var content: ModelContent
  var mode: Mode
  var foreignKeys: Bool

  /// The error of all statements that write.
  var writeError: ModelError?

  /// The error of all statements.
  var error: ModelError?
  var fault: ModelFault?

  /// The results of the steps.
  private(set) var lines: [String] = []

  /// The contents after each commit.
  private(set) var commits: [ModelContent] = []

  /// The content to which a transaction returns that SQLite rolls back.
  private var base: ModelContent

  init(
    _ content: ModelContent, _ mode: Mode, foreignKeys: Bool, writeError: ModelError? = nil,
    error: ModelError? = nil, fault: ModelFault? = nil
  ) {
    (self.content, base, self.mode, self.foreignKeys) = (content, content, mode, foreignKeys)
    (self.writeError, self.error, self.fault) = (writeError, error, fault)
  }

  var log: String { lines.joined(separator: " | ") }

  mutating func run(_ steps: [ModelStep]) throws(ModelError) {
    for step in steps { try run(step) }
  }

  /// Simulates a transaction that contains the steps.
  ///
  /// - Parameter isImmediate: Whether the transaction takes the write lock when it begins, unless it is read-only.
  mutating func transaction(
    _ steps: [ModelStep], _ ending: ModelStep.Ending, isImmediate: Bool = true, abortError: ModelError = .aborted
  ) throws(ModelError) {
    if let error { throw error }
    if isImmediate, let writeError, writeError != .readonly { throw writeError }
    (mode, base) = (.transaction, content)
    defer { mode = .autocommit }
    do throws(ModelError) {
      try run(steps)
      if ending == .throwError { throw .thrown }
      // The task was cancelled: the commit throws.
      if let error { throw error }
      if ending == .commit, mode == .aborted { throw abortError }
    } catch {
      content = base
      throw error
    }
    if ending == .rollback {
      content = base
    } else {
      commit()
    }
  }

  private mutating func commit() {
    if commits.last ?? base != content { commits.append(content) }
  }

  private mutating func run(_ step: ModelStep) throws(ModelError) {
    switch step {
    case .perform(let operation, let isCaught):
      let isDone = add(isCaught) { simulation throws(ModelError) in
        try simulation.perform(operation)
        return "ok"
      }
      if let error = isDone { throw error }
    case .query(let query, let isCaught):
      let isDone = add(isCaught) { simulation throws(ModelError) in
        if let error = simulation.error { throw error }
        if simulation.mode == .aborted { throw .aborted }
        return try query.result(in: simulation.content)
      }
      if let error = isDone { throw error }
    case .nest(let nesting, let steps, let ending, let isCaught):
      let isDone = add(isCaught) { simulation throws(ModelError) in
        try simulation.nest(nesting, steps, ending)
        return "end"
      }
      if let error = isDone { throw error }
    case .cancelTask: error = .cancelled
    }
  }

  /// Adds a result to the log.
  ///
  /// - Returns: The error that is not caught.
  private mutating func add(
    _ isCaught: Bool, _ body: (inout ModelSimulation) throws(ModelError) -> String
  ) -> ModelError? {
    do throws(ModelError) {
      let line = try body(&self)
      lines.append(line)
    } catch {
      lines.append(error.label)
      return isCaught ? nil : error
    }
    return nil
  }

  private mutating func perform(_ operation: ModelOperation) throws(ModelError) {
    if let error { throw error }
    if mode == .aborted { throw .aborted }
    let before = content
    var changed = content
    do throws(ModelError) {
      try operation.apply(to: &changed, foreignKeys: foreignKeys)
      if let writeError, operation.writes(to: before) { throw writeError }
      content = changed
    } catch {
      if let writeError, error == .noTable { throw writeError }
      if let writeError, error != .noTable, operation.writes(to: before) { throw writeError }
      if case .insertItem(_, _, .orRollback) = operation, error != .noTable, mode == .transaction {
        content = base
        mode = .aborted
      } else {
        content = changed
      }
      if mode == .autocommit { commit() }
      throw error
    }
    if mode == .autocommit { commit() }
  }

  private mutating func nest(
    _ nesting: ModelStep.Nesting, _ steps: [ModelStep], _ ending: ModelStep.Ending
  ) throws(ModelError) {
    // A recording can only be rolled back by an error.
    let ending = nesting == .recording && ending != .commit ? .throwError : ending
    if let error { throw error }
    if mode == .aborted { throw .aborted }
    // A recording must not end its transaction.
    let abortError = nesting == .recording ? ModelError("changesetError") : .aborted
    // A read-only connection records nothing.
    if nesting == .recording, writeError == .readonly { throw .closed }
    if nesting == .sqlTransaction {
      // SQLite does not nest transactions.
      if mode == .transaction { throw .noTable }
      return try transaction(steps, ending, isImmediate: false)
    }
    if mode == .autocommit {
      if nesting != .sqlSavepoint { return try transaction(steps, ending, abortError: abortError) }
      (mode, base) = (.transaction, content)
      defer { mode = .autocommit }
      do throws(ModelError) {
        try nested(steps, ending)
      } catch {
        content = base
        throw error
      }
      return commit()
    }
    try nested(steps, ending, abortError: abortError)
  }

  private mutating func nested(
    _ steps: [ModelStep], _ ending: ModelStep.Ending, abortError: ModelError = .aborted
  ) throws(ModelError) {
    let before = content
    do throws(ModelError) {
      try run(steps)
      if ending == .throwError { throw .thrown }
      if ending == .commit, mode == .aborted { throw abortError }
    } catch {
      if mode != .aborted, fault != .forgetsRollback { content = before }
      throw error
    }
    if ending == .rollback, mode != .aborted, fault != .forgetsRollback { content = before }
  }
}

extension ModelOperation {
  /// Whether the operation executes a statement that writes, if its tables exist.
  func writes(to content: ModelContent) -> Bool {
    guard case .changeName(let id, let name) = self else { return true }
    return content.items[id].map { $0.name != name } ?? false
  }
}
