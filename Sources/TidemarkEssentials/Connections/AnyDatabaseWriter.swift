/// A database that can be read and written, whose type does not show: it hands everything over to another one.
public final class AnyDatabaseWriter: DatabaseWriter {
  let base: any DatabaseWriter

  /// The same database, without its type.
  public init(_ base: any DatabaseWriter) {
    self.base = base
  }

  /// Not for you to use: how observations reach the database.
  public var _ground: _DatabaseGround { base._ground }

  // MARK: Life

  /// How the database was opened.
  public var configuration: Configuration { base.configuration }

  /// The path to the file, or what stands for it.
  public var path: String { base.path }

  /// Closes the database. Accesses throw from then on.
  public func close() throws { try base.close() }

  /// Has the statements that run fail with an error of code `SQLITE_INTERRUPT`.
  public func interrupt() { base.interrupt() }

  // MARK: Reading

  /// Reads. All that is read comes from one state of the database, and nothing can be written.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T { try base.read(value) }

  /// Reads. All that is read comes from one state of the database, and nothing can be written.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await base.read(value)
  }

  /// Reads later. All that is read comes from one state of the database, and nothing can be written.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncRead(value)
  }

  /// Reads, without the promise of one state.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T { try base.unsafeRead(value) }

  /// Reads, without the promise of one state.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await base.unsafeRead(value)
  }

  /// Reads later, without the promise of one state.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.asyncUnsafeRead(value)
  }

  /// Reads, inside the access that the thread is in if there is one, without the promise of one state.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try base.unsafeReentrantRead(value)
  }

  // MARK: Writing

  /// Not for you to call: as `writeWithoutTransaction`, but that the wait has a limit where there is one.
  public func _boundedWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base._boundedWriteWithoutTransaction(updates)
  }

  /// Not for you to call: writes in a transaction.
  public func _asyncWrite<T: Sendable>(_ updates: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await base._asyncWrite(updates)
  }

  /// Uses the connection that writes. Each statement is a transaction of its own.
  @_disfavoredOverload
  public func writeWithoutTransaction<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try base.writeWithoutTransaction(updates)
  }

  /// Uses the connection that writes. Each statement is a transaction of its own.
  public func writeWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.writeWithoutTransaction(updates)
  }

  /// Uses the connection that writes while nobody reads.
  @_disfavoredOverload
  public func barrierWriteWithoutTransaction<T>(_ updates: (Database) throws -> T) throws -> T {
    try base.barrierWriteWithoutTransaction(updates)
  }

  /// Uses the connection that writes while nobody reads.
  public func barrierWriteWithoutTransaction<T: Sendable>(
    _ updates: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await base.barrierWriteWithoutTransaction(updates)
  }

  /// Uses later the connection that writes, while nobody reads.
  public func asyncBarrierWriteWithoutTransaction(
    _ updates: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    base.asyncBarrierWriteWithoutTransaction(updates)
  }

  /// Uses later the connection that writes. Each statement is a transaction of its own.
  public func asyncWriteWithoutTransaction(_ updates: @escaping @Sendable (Database) -> Void) {
    base.asyncWriteWithoutTransaction(updates)
  }

  /// Uses the connection that writes, inside the access that the thread is in if there is one.
  public func unsafeReentrantWrite<T>(_ updates: (Database) throws -> T) rethrows -> T {
    try base.unsafeReentrantWrite(updates)
  }

  /// Reads the state that was just committed, from an access that writes.
  public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    base.spawnConcurrentRead(value)
  }
}
