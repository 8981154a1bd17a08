/// A reader with one snapshot of the database during its whole life.
///
/// All of its reads return the same data, so that the safe and the unsafe methods are equivalent.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
  /// Reads the snapshot.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try read(value)
  }

  /// Reads the snapshot.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await read(value)
  }

  /// Schedules a read of the snapshot.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    asyncRead(value)
  }

  /// Reads the snapshot, in the thread's current read if there is one.
  public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try unsafeReentrantRead(value)
  }
}
