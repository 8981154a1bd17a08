/// The connections that serve the reads of a database: a single one, or a pool.
///
/// This is the only place where the kinds of databases differ in how a read gets its connection.
enum ReadConnections: Sendable {
  /// A connection that serializes its accesses. If the database can be written, it is the writer.
  case single(SerializedConnection)
  case pool(ReaderPool)

  // MARK: Accesses

  /// Runs an access on the calling thread.
  @inline(__always)
  func sync<T>(_ body: (Database) throws -> T) throws -> T {
    switch self {
    case .single(let connection): try connection.boundedSync(body)
    case .pool(let readers): try readers.sync(body)
    }
  }

  /// Runs an access on the calling thread, inside its current access if there is one.
  func reentrantSync<T>(_ body: (Database) throws -> T) throws -> T {
    switch self {
    case .single(let connection): try connection.reentrantSync(body)
    case .pool(let readers): try readers.reentrantSync(body)
    }
  }

  /// Runs an access of the current task.
  @inline(__always)
  func async<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    switch self {
    case .single(let connection): try await connection.async(body)
    case .pool(let readers): try await readers.async(body)
    }
  }

  /// Schedules an access. If it cannot begin, `value` receives the error.
  func schedule(_ value: @escaping Database.ResultHandler, in scope: @escaping Database.ResultScope) {
    switch self {
    case .single(let connection): connection.schedule(value, in: scope)
    case .pool(let readers): readers.schedule(value, in: scope)
    }
  }

  /// Schedules an access of live queries outside of any transaction.
  func scheduleLive(_ value: @escaping Database.ResultHandler) {
    switch self {
    case .single(let connection): connection.scheduleOutsideTransaction(value)
    case .pool(let readers): readers.scheduleLive(value)
    }
  }

  /// Runs a part of a write access that excludes all reads.
  func exclusively<T>(until deadline: Database.Deadline?, _ body: () throws -> T) throws -> T {
    switch self {
    case .single: try body()
    case .pool(let readers): try readers.exclusively(until: deadline, body)
    }
  }

  /// The admission of an asynchronous write that excludes all reads.
  func barrier(of writer: SerializedConnection) -> any AccessAdmission {
    switch self {
    case .single: writer.gate
    case .pool(let readers): BarrierAdmission(writer.gate, readers)
    }
  }

  // MARK: Properties

  /// The nested writes of the calling thread if it reads with a pool that has a writer.
  @inline(__always)
  var nestedWrites: NestedWrites? {
    if case .pool(let readers) = self { readers.nestedWrites } else { nil }
  }

  /// Whether the calling thread reads.
  var isAccessible: Bool {
    switch self {
    case .single(let connection): connection.isAccessible
    case .pool(let readers): readers.isAccessible
    }
  }

  /// The health of the database.
  var health: DatabaseHealth {
    switch self {
    case .single(let connection): connection.health
    case .pool(let readers): readers.health
    }
  }

  /// The maximum number of concurrent fetches of live queries.
  var liveCountMax: Int { if case .pool(let readers) = self { readers.liveCountMax } else { 1 } }

  /// The number of connections in use, and the number of waiting accesses.
  var load: (busy: Int, waiting: Int) { if case .pool(let readers) = self { readers.load } else { (0, 0) } }

  /// Interrupts running statements.
  func interrupt() {
    switch self {
    case .single(let connection): connection.interrupt()
    case .pool(let readers): readers.interrupt()
    }
  }
}
