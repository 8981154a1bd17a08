import Synchronization

/// Finds the callbacks of a connection by its pointer, for the pre-update hook.
///
/// The other hooks have a context pointer. This one must not have any: when a session is created on a connection,
/// SQLite takes the context of the previous hook for another session, and follows it.
///
/// Each changed row requires a lookup, so it uses no lock: it is a table of fixed size, with a slot for each
/// connection with a listener. Invariants:
/// 1. The thread that uses a connection looks up its slot, after this thread or an earlier one has filled it.
/// 2. A released slot can be reused. It is never empty again, so that lookups continue after it.
enum RowChangeRegistry {
  private static let slotCount = 4096
  private static let connectionCountMax = 2048

  /// The pointers of connections; zero in slots that were never used, one in released slots.
  private static let connections = Slots(slotCount)
  private static let callbacks = Slots(slotCount)
  private static let count = Mutex(0)

  // Not checked by the compiler, because a pointer is never Sendable. It is never freed, and points to atomic numbers.
  // An array of objects would make the first connection that needs row changes create thousands of them.
  private struct Slots: @unchecked Sendable {
    let start: UnsafeMutablePointer<Atomic<UInt>>

    init(_ count: Int) {
      start = .allocate(capacity: count)
      for index in 0..<count { (start + index).initialize(to: Atomic(0)) }
    }
  }

  /// - Returns: Whether there was room for one more connection.
  static func add(_ owner: ConnectionCallbacks, for connection: SQLiteConnection) -> Bool {
    let key = UInt(bitPattern: connection)
    return count.withLock { count in
      if let slot = slot(of: key) {
        callbacks.start[slot].store(UInt(bitPattern: owner.context), ordering: .relaxed)
        return true
      }
      guard count < connectionCountMax, let slot = freeSlot(for: key) else { return false }
      count += 1
      callbacks.start[slot].store(UInt(bitPattern: owner.context), ordering: .relaxed)
      connections.start[slot].store(key, ordering: .releasing)
      return true
    }
  }

  static func remove(_ connection: SQLiteConnection) {
    count.withLock { count in
      guard let slot = slot(of: UInt(bitPattern: connection)) else { return }
      connections.start[slot].store(1, ordering: .releasing)
      count -= 1
    }
  }

  @inline(__always)
  static func callbacks(of connection: SQLiteConnection) -> ConnectionCallbacks? {
    guard let slot = slot(of: UInt(bitPattern: connection)) else { return nil }
    return ConnectionCallbacks.borrowed(
      UnsafeMutableRawPointer(bitPattern: callbacks.start[slot].load(ordering: .relaxed)))
  }

  @inline(__always)
  private static func firstSlot(for key: UInt) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 40) & (slotCount - 1)
  }

  @inline(__always)
  private static func slot(of key: UInt) -> Int? {
    var slot = firstSlot(for: key)
    for _ in 0..<slotCount {
      let found = connections.start[slot].load(ordering: .acquiring)
      if found == key { return slot }
      if found == 0 { return nil }
      slot = (slot + 1) & (slotCount - 1)
    }
    return nil
  }

  private static func freeSlot(for key: UInt) -> Int? {
    let first = firstSlot(for: key)
    return (0..<slotCount).lazy.map { (first + $0) & (slotCount - 1) }
      .first { connections.start[$0].load(ordering: .acquiring) <= 1 }
  }
}
