import CSQLite

// Steps that bypass the capture, because their row changes are not needed. They cost the same as without capture.
//
//     captured step ── its rows are not needed ──► the statement may bypass ──► bypassing step ──► …
//         │                                                                   │
//         └── 32 rows that are not needed ──► the rest bypasses               │
//                                                │                            │
//                                                └── an unexpected event happens in the step ──► capture from there on
//
// Invariants:
// 1. A statement bypasses the capture as long as two things have not changed since this was decided: the needs and, for
//    some statements, the changes recorded in the transaction.
// 2. In a bypassing step, SQLite does not call the hook; outside of steps, and in all others, it does. If other code
//    may use the connection (`Database.isHandleExposed`), the hook is also called in bypassing steps: other code may
//    have replaced the hook, which must stay replaced, or change rows itself.
// 3. A bypassing step is captured as if it had been captured from its beginning, if another statement begins in it, if
//    a writing statement is compiled in it, itself included, if it changes a row of an unexpected table, or if the
//    program receives the raw connection in it.

struct CaptureBypass {
  /// Identifies the statements that bypass the capture now; zero for none.
  var epoch: UInt = 0
  var generation: UInt = 0

  /// The statement whose step bypasses the capture now, and whether the hook is paused meanwhile.
  private(set) var current: Statement?
  private var isHookPaused = false

  /// The decision about a statement.
  struct Eligibility {
    fileprivate var epoch: UInt
    fileprivate var generation: UInt

    /// The statement is captured.
    static let none = Eligibility(epoch: .max, generation: .max)

    /// The statement bypasses the capture until the needs change.
    static func whileNeeds(are epoch: UInt) -> Eligibility { Eligibility(epoch: epoch, generation: 0) }

    /// The statement bypasses the capture until the needs change, or recorded changes are rolled back.
    static func whileNeeds(are epoch: UInt, andLogIs generation: UInt) -> Eligibility {
      Eligibility(epoch: epoch, generation: generation)
    }
  }

  @inline(__always)
  func includes(_ mark: Eligibility) -> Bool {
    mark.epoch == epoch && (mark.generation == 0 || mark.generation == generation)
  }

  /// The step of a statement bypasses the capture from now on.
  mutating func begin(_ statement: Statement, on handle: ConnectionHandle, pausingHook: Bool) {
    if pausingHook { handle.pauseRowChangeHook() }
    (current, isHookPaused) = (statement, pausingHook)
  }

  /// Ends the bypass.
  ///
  /// - Returns: The statement that was bypassing the capture, if there was one.
  mutating func end(on handle: ConnectionHandle?) -> Statement? {
    guard let statement = current.take() else { return nil }
    if isHookPaused { handle?.resumeRowChangeHook() }
    return statement
  }
}

extension Statement {
  /// Whether the step that begins bypasses the capture.
  @inline(__always)
  func bypassesCapture(wasInsideTransaction: Bool) -> Bool {
    guard let writes, database.capture.bypass.includes(writes.findings.bypass) else { return false }
    return wasInsideTransaction && database.compilation.counts.runningSteps == 0
      && database.transaction.ending == .none
  }

  /// Executes a step that bypasses the capture, unless an unexpected event happens.
  ///
  /// - Returns: The result code of the step, and whether the capture was started for it.
  func stepBypassingCapture(on handle: ConnectionHandle) -> (code: CInt, isCaptured: Bool) {
    database.capture.bypass.begin(self, on: handle, pausingHook: !database.capture.isHandleExposed)
    database.compilation.counts.runningSteps = 1
    let code = sqlite3_step(sqliteStatement)
    database.compilation.counts.runningSteps = 0
    return (code, database.capture.bypass.end(on: handle) == nil)
  }
}
