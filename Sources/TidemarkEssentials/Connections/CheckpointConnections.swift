import CSQLite

/// Two connections to a file that do nothing but checkpoints: one holds the lock of the writer, the other one moves
/// frames.
///
/// SQLite does not let a connection that is in a transaction make a checkpoint: it takes two. They live as long as it
/// takes: a connection that is there keeps others from leaving the write-ahead log.
final class CheckpointConnections {
  private let holder: ConnectionHandle
  private let mover: ConnectionHandle
  private let holderCallbacks = ConnectionCallbacks()
  private let moverCallbacks = ConnectionCallbacks()

  /// Asked, while somebody else has a lock, whether to try again.
  typealias Patience = (_ numberOfTries: Int) -> Bool

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

  /// Moves what can be moved without waiting for readers.
  ///
  /// - parameter patience: Asked while somebody else writes.
  func move(_ patience: Patience) throws -> ConnectionHandle.LogCounts {
    try move(patience) { $0 }
  }

  /// Moves what can be moved without waiting for readers, and does something before somebody else writes.
  ///
  /// - parameter patience: Asked while somebody else writes.
  func move<T>(_ patience: Patience, then body: (ConnectionHandle.LogCounts) throws -> T) throws -> T {
    try withoutActuallyEscaping(patience) { patience in
      holderCallbacks.busy = patience
      defer { holderCallbacks.busy = nil }
      try holder.execute("BEGIN IMMEDIATE")
    }
    let result = Result { try body(mover.checkpoint(.passive, on: "main")) }
    // It has changed nothing, and it must not fail to give the lock back.
    try holder.execute("ROLLBACK")
    return try result.get()
  }

  /// Makes a checkpoint of a kind that takes the lock of the writer by itself.
  ///
  /// - parameter patience: Asked while somebody else writes, or reads an old state.
  func checkpoint(
    _ kind: ConnectionHandle.Checkpoint, _ patience: Patience
  ) throws -> ConnectionHandle.LogCounts {
    try withoutActuallyEscaping(patience) { patience in
      moverCallbacks.busy = { [mover] count in
        if patience(count) { return true }
        // Without the lock of the writer SQLite would go on, and move frames while somebody writes: it is stopped.
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
  /// Has the next commit begin the log anew: all of it is moved, and all who read it are waited for.
  ///
  /// - throws: An error of code `SQLITE_BUSY` when somebody still reads it after some time.
  func beginAnew(within limit: Duration, _ clock: WorldClock) throws {
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
      // A connection that has not read yet does not know of the log, and has nothing to move. No table is asked: the
      // whole schema would be read for it.
      try handle.execute("PRAGMA schema_version")
    } catch {
      handle.closeEventually()
      throw error
    }
    return handle
  }
}
