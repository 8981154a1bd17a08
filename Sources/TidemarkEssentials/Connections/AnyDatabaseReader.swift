/// A type-erased database reader, which forwards all calls.
public final class AnyDatabaseReader: DatabaseReader {
  let base: any DatabaseReader

  /// Creates a type-erased reader.
  public init(_ base: any DatabaseReader) {
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
}
