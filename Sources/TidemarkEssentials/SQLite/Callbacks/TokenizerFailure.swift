import CSQLite
import Synchronization

/// The errors that full-text tokenizers have thrown, until the caller of the tokenizer takes them.
///
/// C functions are between a tokenizer and the statement that fails because of it, and they return only result codes.
/// All of it happens on one thread, so the error is stored by thread. A statement discards an error of its thread when
/// it starts: an error that was not taken belongs to an earlier statement.
enum TokenizerFailure {
  private struct Failure {
    var code: CInt
    var error: any Error
  }

  private static let failures = Mutex<[ThreadID: Failure]>([:])
  private static let failureCount = Atomic<Int>(0)

  /// Whether there is an error of any thread.
  static var mayExist: Bool { failureCount.load(ordering: .relaxed) != 0 }

  /// Stores the error of a tokenizer, and returns its result code.
  static func record(_ error: any Error) -> CInt {
    let code = (error as? DatabaseError)?.extendedResultCode.rawValue ?? SQLITE_ERROR
    let failure = Failure(code: code.failureCode, error: error)
    // An error that was not taken is released outside of the lock.
    _ = failures.withLock { failures in
      defer { failureCount.store(failures.count, ordering: .relaxed) }
      return failures.updateValue(failure, forKey: currentThreadID())
    }
    return failure.code
  }

  /// Removes and returns the error of this thread, if it has a result code.
  static func take(_ code: CInt) -> (any Error)? {
    guard let failure = remove(), failure.code == code else { return nil }
    return failure.error
  }

  /// Removes the error of this thread.
  static func discard() { _ = remove() }

  private static func remove() -> Failure? {
    failures.withLock { failures in
      let failure = failures.removeValue(forKey: currentThreadID())
      failureCount.store(failures.count, ordering: .relaxed)
      return failure
    }
  }
}

extension CInt {
  /// The result code, or `SQLITE_ERROR` if it does not stand for a failure: SQLite would take it for a row, or for the
  /// end of a statement.
  var failureCode: CInt {
    switch self {
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: SQLITE_ERROR
    default: self
    }
  }
}
