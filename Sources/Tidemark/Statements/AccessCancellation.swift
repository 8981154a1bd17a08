import Synchronization

/// Whether an access was cancelled. Anybody may cancel it; the access itself looks.
///
/// Nothing is told to SQLite: `sqlite3_interrupt` would hit whatever runs on the connection by then (hazard
/// C4). The statement that runs finds out through the progress handler, the next one when it starts.
final class AccessCancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  var isCancelled: Bool { flag.load(ordering: .relaxed) }

  func cancel() { flag.store(true, ordering: .relaxed) }
}

extension Database {
  /// Runs an access that can be cancelled.
  ///
  /// Once it is cancelled, its statements throw `CancellationError`, but for those that undo a transaction.
  func withCancellation<Result>(_ cancellation: AccessCancellation, _ body: () throws -> Result) throws -> Result {
    self.cancellation = cancellation
    // Borrowed by the closure that SQLite calls: the connection is not to be retained by what it owns.
    callbacks.shouldInterrupt = { [unowned self] in isCancelled }
    handle?.installProgressHandler(callbacks, every: 1000)
    defer {
      handle?.removeProgressHandler()
      callbacks.shouldInterrupt = nil
      self.cancellation = nil
    }
    do {
      return try body()
    } catch let error as DatabaseError where error.isInterruptionError && cancellation.isCancelled {
      throw CancellationError()
    }
  }

  /// Runs what must be done whether the access was cancelled or not.
  func shielded<Result>(_ body: () throws -> Result) rethrows -> Result {
    shieldDepth += 1
    defer { shieldDepth -= 1 }
    return try body()
  }

  private var isCancelled: Bool { shieldDepth == 0 && cancellation?.isCancelled == true }

  /// Throws when the access was cancelled.
  func checkCancellation() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Throws when the access was cancelled, unless the statement undoes a transaction.
  func checkCancellation(for statement: Statement) throws {
    if isCancelled, !statement.effects.contains(.undo) { throw CancellationError() }
  }
}
