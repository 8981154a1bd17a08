import Synchronization

/// A place for a reader.
///
/// The connection is touched by the access that the slot is lent to, and by no other. Anybody may ask whether
/// the calling thread is that access, and anybody may interrupt it.
final class ReaderSlot: Sendable {
  private nonisolated(unsafe) var ownedDatabase: Database?
  private nonisolated(unsafe) var ownedGeneration = 0

  private let accessor = Atomic<ThreadID>(0)

  // The open connection, for those who interrupt it.
  private let interruptible = Mutex<UInt>(0)

  var db: Database? { ownedDatabase }

  /// Which generation of readers the connection belongs to.
  var generation: Int { ownedGeneration }

  /// Whether the calling thread is inside the access that the slot is lent to.
  var isAccessible: Bool { accessor.load(ordering: .relaxed) == currentThreadID() }

  /// Runs the access that the slot is lent to.
  func withAccess<Result>(_ db: Database, _ body: (Database) throws -> Result) rethrows -> Result {
    accessor.store(currentThreadID(), ordering: .relaxed)
    defer { accessor.store(0, ordering: .relaxed) }
    return try db.withAccess(body)
  }

  func put(_ db: Database, generation: Int) {
    ownedDatabase = db
    ownedGeneration = generation
    interruptible.withLock { $0 = db.handle.map { UInt(bitPattern: $0.pointer) } ?? 0 }
  }

  /// Closes the connection.
  ///
  /// - throws: An error when a statement is still held by the program. The connection is then still there.
  func close() throws {
    guard let db = ownedDatabase else { return }
    let pointer = interruptible.withLock { pointer in
      defer { pointer = 0 }
      return pointer
    }
    do {
      try db.withAccess { try $0.close() }
    } catch {
      interruptible.withLock { $0 = pointer }
      throw error
    }
    ownedDatabase = nil
  }

  /// Gives the connection up: SQLite closes it when the last statement that the program holds is released.
  func abandon() {
    do {
      try close()
    } catch {
      interruptible.withLock { $0 = 0 }
      ownedDatabase?.leaveToStatements()
      ownedDatabase = nil
    }
  }

  func interrupt() {
    interruptible.withLock { pointer in
      if let pointer = SQLiteConnection(bitPattern: pointer) { ConnectionHandle(pointer: pointer).interrupt() }
    }
  }
}
