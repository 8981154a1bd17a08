public import Synchronization

/// The connections that reject text that is not UTF-8, instead of repairing it.
///
/// The code that reads a column knows only the statement pointer, so the setting is stored by
/// connection pointer. It is looked up after invalid bytes were found. Texts are validated, which
/// costs a pass over the text, as soon as a connection of the process rejects invalid ones.
@usableFromInline
enum InvalidText {
  private static let refusing = Mutex<Set<UInt>>([])

  @usableFromInline static let anyRefusal = Atomic<Bool>(false)

  /// Whether some connection rejects invalid text.
  @inlinable
  static var mayBeRefused: Bool { anyRefusal.load(ordering: .relaxed) }

  static func refuse(by connection: SQLiteConnection) {
    let key = UInt(bitPattern: connection)
    refusing.withLock { _ = $0.insert(key) }
    anyRefusal.store(true, ordering: .relaxed)
  }

  /// Removes a connection. Call it before the connection is closed: its address may be reused.
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
