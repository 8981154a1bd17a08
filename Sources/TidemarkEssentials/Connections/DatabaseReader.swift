/// A database that can be read: a queue, a pool, a snapshot.
///
/// Accesses have two forms. The synchronous one blocks the calling thread until it is done, and runs on it.
/// The asynchronous one suspends the calling task, and runs on a thread of the database, unless it is likely to be
/// short; when the task is cancelled, the access is, too.
public protocol DatabaseReader: AnyObject, Sendable {
  /// How the database was opened.
  var configuration: Configuration { get }

  /// The path to the file, or what stands for it.
  var path: String { get }

  /// Not for you to use: how observations reach the database.
  var _ground: _DatabaseGround { get }

  /// Closes the database. Accesses throw from then on.
  ///
  /// - throws: An error when it cannot be closed: a statement is still held by the program.
  func close() throws

  /// Has the statements that run fail with an error of code `SQLITE_INTERRUPT`.
  func interrupt()

  /// Reads. All that is read comes from one state of the database, and nothing can be written.
  @_disfavoredOverload
  func read<T>(_ value: (Database) throws -> T) throws -> T

  /// Reads. All that is read comes from one state of the database, and nothing can be written.
  func read<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T

  /// Reads later. All that is read comes from one state of the database, and nothing can be written.
  func asyncRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Reads, without the promise of one state: others may write between two statements.
  @_disfavoredOverload
  func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T

  /// Reads, without the promise of one state: others may write between two statements.
  func unsafeRead<T: Sendable>(_ value: @escaping @Sendable (Database) throws -> T) async throws -> T

  /// Reads later, without the promise of one state: others may write between two statements.
  func asyncUnsafeRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void)

  /// Reads, inside the access that the thread is in if there is one, without the promise of one state.
  func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T
}
