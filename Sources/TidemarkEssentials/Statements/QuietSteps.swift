import CSQLite

// Steps that change rows of which nobody wants to know: they cost what they cost when nobody listens at all.
//
//     watched step ── nobody wants its rows ──► the statement is quiet ──► quiet step ──► …
//                                                                             │
//                                     something else happens in it ───────────┴──► it is watched from there on
//
// Laws:
// 1. A statement is quiet as long as two things are what they were when the watcher found it so: who wants what, and,
//    for some, what was noted of the transaction so far.
// 2. In a quiet step, SQLite does not call the hook; outside of steps, and in all others, it does. When others may use
//    the connection (`Database.isShared`), it is called in quiet steps, too: others may have put theirs in its place,
//    which is to stay there, or change rows of their own.
// 3. A quiet step in which another statement begins, or one that writes is compiled, itself included, or a row of a
//    table changes that it was not known to write, is watched as if it had been from its beginning.

struct QuietSteps {
  /// Which statements are quiet now; zero for none.
  var epoch: UInt = 0
  var generation: UInt = 0

  /// The statement whose quiet step runs, and whether the hook is off meanwhile.
  var current: Statement?
  var isHookPaused = false

  /// What the watcher has found of a statement.
  struct Mark {
    fileprivate var epoch: UInt
    fileprivate var generation: UInt

    /// Not quiet.
    static let none = Mark(epoch: .max, generation: .max)

    /// Quiet as long as everybody wants what they want now.
    static func whileNeeds(are epoch: UInt) -> Mark { Mark(epoch: epoch, generation: 0) }

    /// Quiet as long as, besides, nothing that was noted is taken back.
    static func whileNeeds(are epoch: UInt, andLogIs generation: UInt) -> Mark {
      Mark(epoch: epoch, generation: generation)
    }
  }

  @inline(__always)
  func includes(_ mark: Mark) -> Bool {
    mark.epoch == epoch && (mark.generation == 0 || mark.generation == generation)
  }
}

extension Statement {
  /// Whether the step that begins is quiet.
  @inline(__always)
  func isQuiet(wasInsideTransaction: Bool) -> Bool {
    guard let writes, database.quietSteps.includes(writes.quiet) else { return false }
    return wasInsideTransaction && database.compilation.stepDepth == 0 && !database.callbacks.hasTransactionEnded
  }

  /// A step of which the watcher is not told, unless it is disturbed.
  ///
  /// - returns: The code of the step, and whether the watcher was told that it began.
  func quietStep(on handle: ConnectionHandle) -> (code: CInt, isWatched: Bool) {
    let pausesHook = !database.isShared
    if pausesHook { handle.pauseRowChangeHook() }
    database.quietSteps.isHookPaused = pausesHook
    database.quietSteps.current = self
    database.compilation.stepDepth = 1
    let code = sqlite3_step(sqliteStatement)
    database.compilation.stepDepth = 0
    if database.quietSteps.current == nil { return (code, true) }
    database.quietSteps.current = nil
    if pausesHook { handle.resumeRowChangeHook() }
    return (code, false)
  }
}
