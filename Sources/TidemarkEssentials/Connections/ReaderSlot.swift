import Synchronization

/// A place for a reader.
///
/// The connection is touched by the access that the slot is lent to, and by no other. Anybody may interrupt it.
final class ReaderSlot: Sendable {
  private nonisolated(unsafe) var ownedDatabase: Database?
  private nonisolated(unsafe) var ownedGeneration = 0

  // The open connection, for those who interrupt it.
  private let interruptible = Mutex<UInt>(0)

  var db: Database? { ownedDatabase }

  /// Which generation of readers the connection belongs to.
  var generation: Int { ownedGeneration }

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
      try db.withAccessHere { try $0.close() }
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

/// Which threads read with the slots of a pool.
///
/// Each access asks whether its thread reads already: they lie side by side, so that nothing has to be retained for it.
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

  /// The slot that the calling thread reads with.
  var slotOfThisThread: Int? {
    let thread = currentThreadID()
    for slot in 0..<count where threads[slot].load(ordering: .relaxed) == thread { return slot }
    return nil
  }

  /// Runs the access of the calling thread, with a slot that is lent to it.
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
