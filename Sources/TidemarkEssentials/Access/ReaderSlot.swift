import Synchronization

/// A place for a reader connection.
///
/// Only the access that has borrowed the slot uses the connection. Any thread may interrupt it.
final class ReaderSlot: Sendable {
  private nonisolated(unsafe) var ownedDatabase: Database?
  private nonisolated(unsafe) var ownedGeneration = 0

  // The open connection, for interruptions.
  private let interruptible = Mutex<UInt>(0)

  var db: Database? { ownedDatabase }

  /// The generation of readers to which the connection belongs.
  var generation: Int { ownedGeneration }

  func put(_ db: Database, generation: Int) {
    ownedDatabase = db
    ownedGeneration = generation
    interruptible.withLock { $0 = UInt(bitPattern: db.handle?.pointer) }
  }

  /// Closes the connection.
  ///
  /// - Throws: An error if the program still retains a statement. The connection then remains open.
  func close() throws {
    guard let db = ownedDatabase else { return }
    let pointer = interruptible.withLock { pointer in
      defer { pointer = 0 }
      return pointer
    }
    do {
      try db.withAccessHere { try $0.close() }
    } catch {
      interruptible.withLock { $0 = pointer }
      throw error
    }
    ownedDatabase = nil
  }

  /// Abandons the connection: SQLite closes it when the last statement that the program retains is released.
  func abandon() {
    do {
      try close()
    } catch {
      interruptible.withLock { $0 = 0 }
      ownedDatabase?.closeAfterLastStatement()
      ownedDatabase = nil
    }
  }

  func interrupt() {
    interruptible.withLock { pointer in
      if let pointer = SQLiteConnection(bitPattern: pointer) { ConnectionHandle(pointer: pointer).interrupt() }
    }
  }
}

/// The threads that read with the slots of a pool.
///
/// Each access checks whether its thread already reads: they are adjacent in memory, and need not be retained.
final class ReaderThreads: Sendable {
  private nonisolated(unsafe) let threads: UnsafeMutablePointer<Atomic<ThreadID>>
  private let count: Int

  init(count: Int) {
    self.count = count
    threads = .allocate(capacity: count)
    for slot in 0..<count { (threads + slot).initialize(to: Atomic(0)) }
  }

  deinit {
    threads.deinitialize(count: count)
    threads.deallocate()
  }

  /// The slot with which the calling thread reads.
  var slotOfThisThread: Int? {
    let thread = currentThreadID()
    for slot in 0..<count where threads[slot].load(ordering: .relaxed) == thread { return slot }
    return nil
  }

  /// Runs the access of the calling thread with a borrowed slot.
  @inline(__always)
  func withAccess<Result>(_ slot: Int, _ db: Database, _ body: (Database) throws -> Result) rethrows -> Result {
    if let queue = db.settings.targetQueue { return try queue.sync { try withAccessHere(slot, db, body) } }
    return try withAccessHere(slot, db, body)
  }

  @inline(__always)
  private func withAccessHere<Result>(
    _ slot: Int, _ db: Database, _ body: (Database) throws -> Result
  ) rethrows -> Result {
    threads[slot].store(currentThreadID(), ordering: .relaxed)
    defer { threads[slot].store(0, ordering: .relaxed) }
    return try db.withAccessHere(body)
  }
}
