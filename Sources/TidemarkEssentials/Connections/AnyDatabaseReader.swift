/// A database that can be read, whose type does not show: it hands everything over to another one.
public final class AnyDatabaseReader: DatabaseReader {
  let base: any DatabaseReader

  /// The same database, without its type.
  public init(_ base: any DatabaseReader) {
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
}
