/// A type-erased database writer, which forwards all calls.
public final class AnyDatabaseWriter: DatabaseWriter {
  let base: any DatabaseWriter

  /// Creates a type-erased writer.
  public init(_ base: any DatabaseWriter) {
    self.base = base
  }

  /// An internal requirement, through which observations reach the database; do not use it.
  public var _core: _DatabaseCore { base._core }

  // MARK: Properties

  /// The configuration of the database.
  public var configuration: Configuration { base.configuration }

  /// The path of the file, or its replacement for a database in memory.
  public var path: String { base.path }

  /// Closes the database. All following accesses throw.
  public func close() throws { try base.close() }

  /// Interrupts running statements, which throw an error of code `SQLITE_INTERRUPT`.
  public func interrupt() { base.interrupt() }

  // MARK: Reading

  /// Executes read-only operations in an isolated snapshot.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

  /// Executes read-only operations in an isolated snapshot.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await base.read(value)
  }

  /// Schedules read-only operations in an isolated snapshot.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncRead(value)
  }

  /// Executes read-only operations without isolation.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeRead(value) }

  /// Executes read-only operations without isolation.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await base.unsafeRead(value)
  }

  /// Schedules read-only operations without isolation.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncUnsafeRead(value)
  }

  /// Executes read-only operations without isolation, in the thread's current access if there is one.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantRead(value)
  }

  // MARK: Writing

  /// An internal requirement; do not call it: `writeWithoutTransaction` with the time limit of accesses, if any.
  public func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base._boundedWriteWithoutTransaction(updates)
  }

  /// An internal requirement; do not call it: writes in a transaction.
  public func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await base._asyncWrite(updates)
  }

  /// Executes operations on the writer connection, in autocommit mode.
  @_disfavoredOverload
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try base.writeWithoutTransaction(updates)
  }

  /// Executes operations on the writer connection, in autocommit mode.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.writeWithoutTransaction(updates)
  }

  /// Executes operations on the writer connection without concurrent reads.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.barrierWriteWithoutTransaction(updates)
  }

  /// Executes operations on the writer connection without concurrent reads.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.barrierWriteWithoutTransaction(updates)
  }

  /// Schedules operations on the writer connection without concurrent reads.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncBarrierWriteWithoutTransaction(updates)
  }

  /// Schedules operations on the writer connection, in autocommit mode.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    base.asyncWriteWithoutTransaction(updates)
  }

  /// Executes operations on the writer connection, in the thread's current access if there is one.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try base.unsafeReentrantWrite(updates)
  }

  /// Schedules a read of the last committed state, from an access of the writer.
  public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.spawnConcurrentRead(value)
  }
}
