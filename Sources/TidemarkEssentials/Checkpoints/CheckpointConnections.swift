import CSQLite

/// Two connections to a file that run checkpoints only: one holds the write lock, the other one moves
/// frames.
///
/// Two are required, because SQLite does not run a checkpoint on a connection in a transaction. They are closed
/// afterwards: an open connection prevents others from leaving WAL mode.
final class CheckpointConnections {
  private let holder: ConnectionHandle
  private let mover: ConnectionHandle
  private let holderCallbacks = ConnectionCallbacks()
  private let moverCallbacks = ConnectionCallbacks()

  /// Called while another connection holds a lock; returns whether to try again.
  typealias RetryHandler = (_ numberOfTries: Int) -> Bool

  init(_ location: DatabaseLocation, vfs: String?) throws {
    holder = try .open(location, vfs, holderCallbacks)
    do {
      mover = try .open(location, vfs, moverCallbacks)
    } catch {
      holder.closeEventually()
      throw error
    }
  }

  deinit {
    holder.closeEventually()
    mover.closeEventually()
  }

  /// Moves the frames that can be moved without waiting for readers.
  ///
  /// - Parameter shouldRetry: Called while another connection writes.
  func move(_ shouldRetry: RetryHandler) throws -> ConnectionHandle.LogCounts {
    try move(shouldRetry) { $0 }
  }

  /// Moves the frames that can be moved without waiting for readers, and calls a closure before another write.
  ///
  /// - Parameter shouldRetry: Called while another connection writes.
  func move<T>(_ shouldRetry: RetryHandler, then body: (ConnectionHandle.LogCounts) throws -> T) throws -> T {
    try withoutActuallyEscaping(shouldRetry) { shouldRetry in
      holderCallbacks.busy = shouldRetry
      defer { holderCallbacks.busy = nil }
      try holder.execute("BEGIN IMMEDIATE")
    }
    let result = Result { try body(mover.checkpoint(.passive, on: "main")) }
    // It has changed nothing, and returning the lock must not fail.
    try holder.execute("ROLLBACK")
    return try result.get()
  }

  /// Runs a checkpoint of a kind that takes the write lock itself.
  ///
  /// - Parameter shouldRetry: Called while another connection writes, or reads an old snapshot.
  func checkpoint(
    _ kind: ConnectionHandle.Checkpoint, _ shouldRetry: RetryHandler
  ) throws -> ConnectionHandle.LogCounts {
    try withoutActuallyEscaping(shouldRetry) { shouldRetry in
      moverCallbacks.busy = { [mover] count in
        if shouldRetry(count) { return true }
        // Without the write lock, SQLite would continue, and move frames during another write: interrupt it.
        mover.interrupt()
        return false
      }
      defer { moverCallbacks.busy = nil }
      do {
        return try mover.checkpoint(kind, on: "main")
      } catch DatabaseError.SQLITE_INTERRUPT {
        throw DatabaseError(resultCode: .SQLITE_BUSY, message: "database is locked")
      }
    }
  }
}

extension CheckpointConnections {
  /// Moves all frames, and waits for all readers of the log, so that the next commit restarts it.
  ///
  /// - Throws: An error of code `SQLITE_BUSY` if another connection still reads it after some time.
  func restartLog(within limit: Duration, _ clock: MonotonicClock) throws {
    let end = clock.now() + limit
    _ = try checkpoint(.restart) { _ in
      if clock.now() >= end { return false }
      clock.sleep(.milliseconds(1))
      return true
    }
  }
}

extension ConnectionHandle {
  fileprivate static func open(
    _ location: DatabaseLocation, _ vfs: String?, _ callbacks: ConnectionCallbacks
  ) throws -> ConnectionHandle {
    let flags = SQLITE_OPEN_READWRITE | (location.isURI ? SQLITE_OPEN_URI : 0)
    let handle = try open(location.name, flags: flags, vfs: vfs)
    do {
      try handle.installBusyHandler(callbacks)
      // A connection that has not read yet has not opened the log, and has nothing to move. Reading a table would load
      // the whole schema.
      try handle.execute("PRAGMA schema_version")
    } catch {
      handle.closeEventually()
      throw error
    }
    return handle
  }
}
