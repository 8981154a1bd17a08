// Undo and redo. `HistoryState` decides, in the write access that makes the changes: so the order of the steps is the
// order of their commits.

/// The changes that a user can undo and redo.
///
/// ```swift
/// let history = ChangeHistory(dbQueue)
/// try history.record(named: "Rename") { db in
///   try db.execute(sql: "UPDATE player SET name = 'Arthur' WHERE id = 1")
/// }
/// history.undoName      // "Rename"
/// try history.undo()
/// try history.redo()
/// ```
///
/// Each call of ``record(named:_:)`` is a step. Other changes of the database do not belong to the history. If they
/// conflict with a step, it cannot be undone: ``undo()`` throws a ``ChangesetConflict``, and the database is unchanged.
///
/// Undoing a step restores the rows, and the counters of `AUTOINCREMENT`. Triggers are not executed: their changes
/// belong to the step. Foreign keys are checked if the connection enforces them.
///
/// Steps are stored in memory.
public final class ChangeHistory: Sendable {
  private let writer: any DatabaseWriter
  private let state: Mutex<HistoryState>

  /// The limits of a history.
  public struct Limits: Sendable {
    /// The number of steps that can be undone.
    public var stepCount: Int

    /// The approximate number of bytes of all steps. Old steps are forgotten first. A step that exceeds the limit alone
    /// cannot be undone.
    public var byteCount: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - stepCount: The number of steps that can be undone.
    ///   - byteCount: The approximate number of bytes of all steps.
    /// - Precondition: The limits are not negative.
    public init(stepCount: Int = 100, byteCount: Int = 64_000_000) {
      precondition(stepCount >= 0 && byteCount >= 0, "The limits of a change history must not be negative")
      self.stepCount = stepCount
      self.byteCount = byteCount
    }
  }

  /// Creates a history without steps.
  ///
  /// - Parameters:
  ///   - writer: The database whose changes are recorded.
  ///   - limits: The limits of the history.
  public init(_ writer: some DatabaseWriter, limits: Limits = Limits()) {
    self.writer = writer
    state = Mutex(HistoryState(limits: limits))
  }

  // MARK: - Recording

  /// Executes writing operations as a step.
  ///
  /// ```swift
  /// try history.record(named: "Delete") { db in
  ///   try Player.deleteOne(db, key: 1)
  /// }
  /// ```
  ///
  /// The operations are executed in a transaction. When it has been committed, the steps that could be redone are
  /// forgotten. A step without changes is not recorded.
  ///
  /// - Parameters:
  ///   - name: The name of the step, for the menu of a program.
  ///   - updates: The operations.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, a ``DatabaseError``, or a ``ChangesetError`` if not all changes are known, or
  ///   if they include schema changes. The transaction is rolled back then.
  @discardableResult
  public func record<Result>(named name: String? = nil, _ updates: (Database) throws -> Result) throws -> Result {
    try writer.writeWithoutTransaction { db in try self.record(name, updates, db) }
  }

  /// Executes writing operations as a step.
  ///
  /// - Parameters:
  ///   - name: The name of the step, for the menu of a program.
  ///   - updates: The operations.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, a ``DatabaseError``, or a ``ChangesetError`` if not all changes are known, or
  ///   if they include schema changes. The transaction is rolled back then.
  @discardableResult
  public func record<Result: Sendable>(
    named name: String? = nil, _ updates: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    try await writer.writeWithoutTransaction { db in try self.record(name, updates, db) }
  }

  private func record<Result>(
    _ name: String?, _ updates: (Database) throws -> Result, _ db: Database
  ) throws -> Result {
    var result: Result?
    var changes = Changeset()
    try db.inTransaction {
      changes = try db.recordingChanges { result = try updates(db) }
      for case .schema(let sql) in changes.elements {
        throw ChangesetError(.schemaChange, "a step of a history cannot change the schema: \(sql)")
      }
      return .commit
    }
    state.withLock { $0.record(changes, name: name) }
    guard let result else { preconditionFailure("A recording ended without the result of its closure") }
    return result
  }

  /// Combines the changes that a closure records to one step.
  ///
  /// ```swift
  /// try history.group(named: "Import") {
  ///   for player in players {
  ///     try history.record { db in try player.insert(db) }
  ///   }
  /// }
  /// ```
  ///
  /// If the closure throws, the changes that were committed before form the step. Groups can be nested: the outermost
  /// one is the step. All changes that are recorded meanwhile belong to the group.
  ///
  /// - Parameters:
  ///   - name: The name of the step.
  ///   - body: The closure. It must not undo or redo steps.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  @discardableResult
  public func group<Result>(named name: String? = nil, _ body: () throws -> Result) rethrows -> Result {
    state.withLock { $0.beginGroup(name) }
    defer { state.withLock { $0.endGroup() } }
    return try body()
  }

  // MARK: - Undo and redo

  /// Whether a step can be undone.
  public var canUndo: Bool { state.withLock { !$0.isInGroup && !$0.undoable.isEmpty } }

  /// Whether a step can be redone.
  public var canRedo: Bool { state.withLock { !$0.isInGroup && !$0.redoable.isEmpty } }

  /// The name of the step to undo; nil if there is none, or if it has no name.
  public var undoName: String? { state.withLock { $0.undoable.last?.name } }

  /// The name of the step to redo; nil if there is none, or if it has no name.
  public var redoName: String? { state.withLock { $0.redoable.first?.name } }

  /// Undoes the last step.
  ///
  /// - Returns: Whether there was a step.
  /// - Throws: A ``ChangesetConflict`` if the rows are not as the step has left them, or if rows refer to a row that
  ///   would be removed; a ``ChangesetError`` if the schema does not match the step; or a ``DatabaseError``. The
  ///   database and the history are unchanged then.
  @discardableResult
  public func undo() throws -> Bool { try writer.writeWithoutTransaction { try self.undo($0) } }

  /// Undoes the last step.
  ///
  /// - Returns: Whether there was a step.
  /// - Throws: A ``ChangesetConflict`` if the rows are not as the step has left them, or if rows refer to a row that
  ///   would be removed; a ``ChangesetError`` if the schema does not match the step; or a ``DatabaseError``. The
  ///   database and the history are unchanged then.
  @discardableResult
  public func undo() async throws -> Bool { try await writer.writeWithoutTransaction { try self.undo($0) } }

  /// Redoes the step that was undone last.
  ///
  /// - Returns: Whether there was a step.
  /// - Throws: A ``ChangesetConflict`` if the rows are not as they were before the step; a ``ChangesetError`` if the
  ///   schema does not match the step; or a ``DatabaseError``. The database and the history are unchanged then.
  @discardableResult
  public func redo() throws -> Bool { try writer.writeWithoutTransaction { try self.redo($0) } }

  /// Redoes the step that was undone last.
  ///
  /// - Returns: Whether there was a step.
  /// - Throws: A ``ChangesetConflict`` if the rows are not as they were before the step; a ``ChangesetError`` if the
  ///   schema does not match the step; or a ``DatabaseError``. The database and the history are unchanged then.
  @discardableResult
  public func redo() async throws -> Bool { try await writer.writeWithoutTransaction { try self.redo($0) } }

  /// Forgets all steps.
  public func removeAll() {
    state.withLock { state in
      preconditionNoGroup(state)
      state.removeAll()
    }
  }

  private func undo(_ db: Database) throws -> Bool {
    let step = state.withLock { state in
      preconditionNoGroup(state)
      return state.undoable.last
    }
    guard let step else { return false }
    try apply(step.changes.inverted(), db)
    state.withLock { $0.didUndo() }
    return true
  }

  private func redo(_ db: Database) throws -> Bool {
    let step = state.withLock { state in
      preconditionNoGroup(state)
      return state.redoable.first
    }
    guard let step else { return false }
    try apply(step.changes, db)
    state.withLock { $0.didRedo() }
    return true
  }

  private func apply(_ changes: Changeset, _ db: Database) throws {
    try db.inTransaction {
      try db.apply(changes)
      return .commit
    }
  }

  private func preconditionNoGroup(_ state: borrowing HistoryState) {
    precondition(
      !state.isInGroup, "A group of a change history is open: undo, redo and remove steps after it has ended")
  }
}
