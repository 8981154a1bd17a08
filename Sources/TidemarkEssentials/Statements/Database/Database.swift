import Synchronization

/// A connection to a database, during an access.
///
/// `read`, `write` and similar methods pass a connection to their closure. Use it only inside the closure:
///
/// ```swift
/// try dbQueue.write { db in
///   try db.execute(sql: "INSERT INTO book (title) VALUES (?)", arguments: ["Dune"])
/// }
/// ```
///
/// This file declares the class and its stored state. Other modules add methods for statements, transactions,
/// functions, the schema and so on.
public final class Database {
  let settings: DatabaseSettings
  let callbacks = ConnectionCallbacks()
  let compilation = CompilationRecorder()

  /// The thread that may use the connection; zero outside of an access.
  let accessor = Atomic<ThreadID>(0)

  /// The SQLite objects to release in the next access.
  let deferredReleases = DeferredReleases()

  /// The connection; nil after it was closed.
  @exclusivity(unchecked) var handle: ConnectionHandle?

  // The state of the connection, by subject: see `DatabaseState.swift`.
  @exclusivity(unchecked) var caches: StatementCaches
  @exclusivity(unchecked) var access = AccessState()
  @exclusivity(unchecked) var transaction = TransactionMachine()
  var transactionWork = TransactionWork()
  @exclusivity(unchecked) var capture = CaptureState()
  @exclusivity(unchecked) var recording = ReadRecording()
  @exclusivity(unchecked) var schema = SchemaState()
  @exclusivity(unchecked) package var dialect = DialectState()

  /// The states of later modules. There are few, and each written record looks one up.
  @exclusivity(unchecked) var moduleStates: [(type: ObjectIdentifier, moduleState: any DatabaseModuleState)] = []

  init(handle: ConnectionHandle, settings: DatabaseSettings) throws {
    self.settings = settings
    self.handle = handle
    caches = StatementCaches(maximumCount: settings.maximumCachedStatementCount)
    compilation.allowsAttachedFiles = settings.allowsAttachedFiles
    callbacks.authorizer = compilation
    callbacks.shouldInterrupt = { [unowned(unsafe) self] in shouldStop }
    try handle.installAuthorizer(callbacks)
    if !settings.isReadonly {
      callbacks.transactionHooks = self
      handle.installCommitHook(callbacks)
      handle.installRollbackHook(callbacks)
    }
  }

  deinit {
    // The opener closes the connection. Otherwise SQLite does so when its last statement is finalized.
    if let handle, !settings.health.isInherited {
      _ = deferredReleases.performPending()
      InvalidText.forget(handle.pointer)
      RowChangeRegistry.remove(handle.pointer)
      handle.closeEventually()
    }
  }

  /// The raw SQLite connection; nil after it was closed.
  public var sqliteConnection: SQLiteConnection? {
    if !capture.isHandleExposed {
      capture.isHandleExposed = true
      capture.changeObserver?.connectionWillBeShared()
    }
    recording.digest?.isUnknown = true
    return handle?.pointer
  }
}

@available(*, unavailable)
extension Database: Sendable {}

extension Database: CustomStringConvertible {
  /// The name of the connection: its label and its number in the pool.
  public var description: String { settings.label }
}

extension Database: CustomDebugStringConvertible {
  /// The name of the connection.
  public var debugDescription: String { "<Database: \(settings.label)>" }
}
