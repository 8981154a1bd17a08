import Synchronization

/// The state of a database at one moment, which can be read for as long as the snapshot lives.
///
/// ```swift
/// let snapshot = try dbPool.makeSnapshot()
/// let before = try snapshot.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM book") }
/// ```
///
/// A snapshot has a connection of its own, which its reads use in turn. As long as it lives, the write-ahead log
/// cannot be emptied: do not keep it for longer than you need it.
public final class DatabaseSnapshot: DatabaseSnapshotReader {
  /// How the snapshot was opened.
  public let configuration: Configuration

  /// The path to the file.
  public let path: String

  private let connection: SerializedConnection

  /// Not for you to use: how observations reach the database.
  public let _core: _DatabaseCore

  /// A snapshot of what is in a file now. It must use the write-ahead log: else nobody could write meanwhile.
  public convenience init(path: String, configuration: Configuration = Configuration()) throws {
    let location = DatabaseLocation(path: path)
    let label = configuration.label ?? "Tidemark.DatabaseSnapshot"
    try self.init(location, configuration, label: label)
  }

  init(_ location: DatabaseLocation, _ configuration: Configuration, label: String) throws {
    path = location.path
    var configuration = configuration.forReaders
    configuration.allowsUnsafeTransactions = true
    configuration.maximumReaderCount = 1
    self.configuration = configuration
    connection = try SerializedConnection(location, configuration, label: label)
    _core = .snapshot(connection, configuration)
    try connection.sync { try $0.holdSnapshot() }
  }

  /// Ends the snapshot. Reads throw from then on.
  ///
  /// - throws: An error of code `SQLITE_BUSY` when the program still holds a statement.
  public func close() throws {
    try connection.close()
  }

  /// Has the statement that runs fail with an error of code `SQLITE_INTERRUPT`, without waiting for it.
  public func interrupt() { connection.interrupt() }

  /// Reads the state of the snapshot.
  @_disfavoredOverload
  public func read<T>(_ value: (Database) throws -> T) throws -> T {
    try connection.boundedSync { try $0.readingSnapshot(value) }
  }

  /// Reads the state of the snapshot.
  public func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await connection.async { try $0.readingSnapshot(value) }
  }

  /// Reads the state of the snapshot later.
  public func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
    connection.schedule { db in
      Database.callingHandler(value) { call in try db.readingSnapshot(call) }
    }
  }

  /// Reads the state of the snapshot, inside the read that the thread is in if there is one.
  public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
    try connection.reentrantSync { try $0.readingSnapshot(value) }
  }
}

extension Database {
  /// Reads the state of a snapshot.
  ///
  /// - throws: An error of code `SQLITE_ABORT` when the state is not held any more.
  func readingSnapshot<T>(_ value: (Database) throws -> T) throws -> T {
    _ = try openHandle()
    guard isInsideTransaction, try hasSnapshotState() else { throw Self.snapshotLostError }
    let result = try value(self)
    guard try hasSnapshotState() else { throw Self.snapshotLostError }
    return result
  }

  /// Notes the state that the transaction has taken.
  func holdSnapshot() throws {
    try beginSnapshot()
    moduleState(SnapshotPart.self).dataVersion = try dataVersion()
  }

  // A program that has the raw connection can end the transaction and begin another one unseen. `PRAGMA data_version`
  // tells the states of other connections' commits apart.
  private func hasSnapshotState() throws -> Bool {
    guard isHandleExposed, isInsideTransaction else { return true }
    return try shielded { try dataVersion() } == moduleState(SnapshotPart.self).dataVersion
  }

  static var snapshotLostError: DatabaseError {
    DatabaseError(resultCode: .SQLITE_ABORT, message: "Snapshot is lost.")
  }
}

private final class SnapshotPart: DatabaseModuleState {
  /// That of the state of the snapshot.
  var dataVersion: Int64 = 0
}

extension DatabasePool {
  /// A snapshot of what is committed now. From an access that writes, outside of a transaction, it is what this
  /// access has committed.
  public func makeSnapshot() throws -> DatabaseSnapshot {
    precondition(
      !writer.isInsideTransactionOfThisThread,
      "makeSnapshot() must not be called from inside a transaction.")
    let number = snapshotCount.add(1, ordering: .relaxed).newValue
    return try DatabaseSnapshot(location, configuration, label: "\(label).snapshot.\(number)")
  }
}
