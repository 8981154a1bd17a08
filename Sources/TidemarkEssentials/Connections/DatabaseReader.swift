/// A database that can be read: a queue, a pool, or a snapshot.
///
/// Accesses have two forms. The synchronous form blocks the calling thread, and runs on it.
/// The asynchronous form suspends the calling task, and runs on a thread of the database, or inline if it is likely to
/// be short. If the task is cancelled, the access is interrupted.
public protocol DatabaseReader: AnyObject, Sendable {
  /// The configuration of the database.
  var configuration: Configuration { get }

  /// The path of the file, or its replacement for a database in memory.
  var path: String { get }

  /// An internal requirement, through which observations reach the database; do not use it.
  var _core: _DatabaseCore { get }

  /// Closes the database. All following accesses throw.
  ///
  /// - Throws: An error if it cannot be closed because the program still retains a statement.
  func close() throws

  /// Interrupts running statements, which throw an error of code `SQLITE_INTERRUPT`.
  func interrupt()

  /// Executes read-only operations in an isolated snapshot.
  @_disfavoredOverload
  func read<T>(_ value: (Database) throws -> T) throws -> T

  /// Executes read-only operations in an isolated snapshot.
  func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T

  /// Schedules read-only operations in an isolated snapshot.
  func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Executes read-only operations without isolation: there may be commits between two statements.
  @_disfavoredOverload
  func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

  /// Executes read-only operations without isolation: there may be commits between two statements.
  func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T

  /// Schedules read-only operations without isolation: there may be commits between two statements.
  func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Executes read-only operations without isolation, in the thread's current access if there is one.
  func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}
