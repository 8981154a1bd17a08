/// A reader that sees one state of the database for as long as it lives.
///
/// All its reads see the same: there is no difference between the safe and the unsafe ones.
public protocol DatabaseSnapshotReader: DatabaseReader {}

extension DatabaseSnapshotReader {
  /// Reads the state of the snapshot.
  @_disfavoredOverload
  public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
    try read(value)
  }

  /// Reads the state of the snapshot.
  public func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await read(value)
  }

  /// Reads the state of the snapshot later.
  public func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    asyncRead(value)
  }

  /// Reads the state of the snapshot, inside the read that the thread is in if there is one.
  public func reentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try unsafeReentrantRead(value)
  }
}
