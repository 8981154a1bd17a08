public import Synchronization

/// The connections that refuse text that is not UTF-8, instead of repairing it.
///
/// The code that reads a column knows a statement pointer and nothing else, so the choice is kept by
/// connection pointer. It is looked up when invalid bytes have been met; and they are looked for, which
/// costs a pass over the text, once a connection of the process refuses them.
@usableFromInline
enum InvalidText {
  private static let refusing = Mutex<Set<UInt>>([])

  @usableFromInline static let anyRefusal = Atomic<Bool>(false)

  /// Whether some connection refuses invalid text.
  @inlinable
  static var mayBeRefused: Bool { anyRefusal.load(ordering: .relaxed) }

  static func refuse(by connection: SQLiteConnection) {
    let key = UInt(bitPattern: connection)
    refusing.withLock { _ = $0.insert(key) }
    anyRefusal.store(true, ordering: .relaxed)
  }

  /// To be called before the connection is closed: its address may be used again.
  static func forget(_ connection: SQLiteConnection) {
    let key = UInt(bitPattern: connection)
    refusing.withLock { _ = $0.remove(key) }
  }

  static func isRefused(by connection: SQLiteConnection?) -> Bool {
    guard let connection else { return false }
    let key = UInt(bitPattern: connection)
    return refusing.withLock { $0.contains(key) }
  }
}
