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
/// Each call of `record(named:_:)` is a step. Other changes of the database do not belong to the history. If they
/// conflict with a step, it cannot be undone: `undo()` throws a ``ChangesetConflict``, and the database is unchanged.
///
/// Undoing a step restores the rows, and the counters of `AUTOINCREMENT`. Triggers are not executed: their changes
/// belong to the step. Foreign keys are checked if the connection enforces them: a state that violates one cannot be
/// restored.
///
/// Steps are stored in memory. The steps of a named history are stored in the database, too, and are available when the
/// program is started again: see `init(_:named:limits:)`.
public final class ChangeHistory: Sendable {
  private let writer: any DatabaseWriter
  private let state: Mutex<State>

  private struct State: Sendable {
    var steps: HistoryState

    /// The stored steps of a named history.
    var table: HistoryTable?

    /// Replaces the steps by the stored ones, if other connections have changed these.
    ///
    /// - Returns: Whether it has replaced them.
    mutating func refresh(_ db: Database) throws -> Bool {
      if table == nil { return false }
      // The content of the database may have been erased or replaced.
      if db.handle?.hasTable(HistoryTable.tableName, in: "main") != true { try HistoryTable.create(db) }
      guard try table?.isOutdated(db) == true, let parts = try table?.read(db) else { return false }
      steps.restore(parts)
      return true
    }
  }

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
    state = Mutex(State(steps: HistoryState(limits: limits)))
  }

  /// Creates a history whose steps are stored in the database.
  ///
  /// ```swift
  /// let history = try ChangeHistory(dbQueue, named: "document")
  /// history.canUndo      // true, if the program has recorded steps before it was started again
  /// ```
  ///
  /// Each step is stored in the transaction that makes its changes: however the program ends, the stored steps fit the
  /// content of the database. The changes of a group that has not ended form a step.
  ///
  /// The steps are stored in the table `tidemark_undo`, whose changes are part of no stream and no feed. Several
  /// histories of the same name, in the same program or others, share their steps: they notice the steps of each other
  /// when they record, undo or redo.
  ///
  /// - Parameters:
  ///   - writer: The database whose changes are recorded, and which stores the steps.
  ///   - name: The name of the history, for instance of the user whose changes it contains.
  ///   - limits: The limits of the history.
  /// - Throws: A ``DatabaseError``, for instance if the database cannot be written; or a
  ///   ``TransactionChanges/DecodingError`` if the stored steps are damaged.
  public init(_ writer: some DatabaseWriter, named name: String, limits: Limits = Limits()) throws {
    self.writer = writer
    state = Mutex(try writer.writeWithoutTransaction { try Self.stored(name, limits, $0) })
  }

  /// Creates a history whose steps are stored in the database: see `init(_:named:limits:)`.
  ///
  /// - Parameters:
  ///   - writer: The database whose changes are recorded, and which stores the steps.
  ///   - name: The name of the history.
  ///   - limits: The limits of the history.
  /// - Throws: A ``DatabaseError``, for instance if the database cannot be written; or a
  ///   ``TransactionChanges/DecodingError`` if the stored steps are damaged.
  public init(_ writer: some DatabaseWriter, named name: String, limits: Limits = Limits()) async throws {
    self.writer = writer
    state = Mutex(try await writer.writeWithoutTransaction { try Self.stored(name, limits, $0) })
  }

  private static func stored(_ name: String, _ limits: Limits, _ db: Database) throws -> State {
    var state = State(steps: HistoryState(limits: limits), table: HistoryTable(name: name))
    try db.inTransaction(.immediate) {
      _ = try state.refresh(db)
      return .commit
    }
    return state
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
    try change(db) { state in
      changes = try db.recordingChanges { result = try updates(db) }
      for case .schema(let sql) in changes.elements {
        throw ChangesetError(.schemaChange, "a step of a history cannot change the schema: \(sql)")
      }
      let part = state.table == nil ? nil : state.steps.part(changes, name: name)
      if let part { try state.table?.insert(part, db) }
      return { $0.record(changes, name: name, in: part?.step) }
    }
    guard let result else { preconditionFailure("A recording ended without the result of its closure") }
    return result
  }

  /// Runs a closure in a transaction, and stores the changed steps.
  ///
  /// - Parameter body: Changes the database. It returns how the steps change; nil if nothing changes.
  /// - Returns: Whether something has changed.
  @discardableResult
  private func change(
    _ db: Database, _ body: (inout State) throws -> ((inout HistoryState) -> Void)?
  ) throws -> Bool {
    var next = state.withLock { $0 }
    var (update, restored): (((inout HistoryState) -> Void)?, HistoryState?)
    try db.inTransaction {
      if try next.refresh(db) { restored = next.steps }
      update = try body(&next)
      update?(&next.steps)
      try next.table?.update(to: next.steps, db)
      return .commit
    }
    // Groups may have begun or ended meanwhile, on other threads.
    state.withLock { state in
      if let restored { state.steps.adopt(restored) }
      update?(&state.steps)
      state.table = next.table
    }
    return update != nil
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
    state.withLock { $0.steps.beginGroup(name) }
    defer { state.withLock { $0.steps.endGroup() } }
    return try body()
  }

  // MARK: - Undo and redo

  /// Whether a step can be undone.
  public var canUndo: Bool { state.withLock { !$0.steps.isInGroup && !$0.steps.undoable.isEmpty } }

  /// Whether a step can be redone.
  public var canRedo: Bool { state.withLock { !$0.steps.isInGroup && !$0.steps.redoable.isEmpty } }

  /// The name of the step to undo; nil if there is none, or if it has no name.
  public var undoName: String? { state.withLock { $0.steps.undoable.last?.name } }

  /// The name of the step to redo; nil if there is none, or if it has no name.
  public var redoName: String? { state.withLock { $0.steps.redoable.first?.name } }

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
  ///
  /// - Throws: A ``DatabaseError`` if the steps are stored, and cannot be removed.
  public func removeAll() throws { try writer.writeWithoutTransaction { try self.removeAll($0) } }

  /// Forgets all steps.
  ///
  /// - Throws: A ``DatabaseError`` if the steps are stored, and cannot be removed.
  public func removeAll() async throws { try await writer.writeWithoutTransaction { try self.removeAll($0) } }

  private func removeAll(_ db: Database) throws {
    preconditionNoGroup()
    try change(db) { _ in { $0.removeAll() } }
  }

  private func undo(_ db: Database) throws -> Bool {
    preconditionNoGroup()
    return try change(db) { state in
      guard let step = state.steps.undoable.last else { return nil }
      try db.apply(step.changes.inverted())
      return { $0.didUndo() }
    }
  }

  private func redo(_ db: Database) throws -> Bool {
    preconditionNoGroup()
    return try change(db) { state in
      guard let step = state.steps.redoable.first else { return nil }
      try db.apply(step.changes)
      return { $0.didRedo() }
    }
  }

  private func preconditionNoGroup() {
    precondition(
      state.withLock { !$0.steps.isInGroup },
      "A group of a change history is open: undo, redo and remove steps after it has ended")
  }
}
