// Changes that the program makes with the connection's pointer and the C interface, without the library.
//
// The hook reports the rows, outside of steps or inside the steps of other statements. Other changes are detected when
// the access ends:
//
//     statements that begin or end transactions, or change the schema    the authorizer (`foreignControls`)
//     statements that change stored settings, ANALYZE                    the authorizer (`foreignContents`)
//     VACUUM, DETACH, sqlite3_deserialize                                the authorizer
//     a backup into the database                                         its schema

extension ChangeCapture {
  /// Detects statements that the program has compiled without the library since the transaction began.
  func noteForeignStatements() {
    let counts = db.compilation.counts
    if counts.foreignControls == steps.compiled.foreignControls { return }
    log.becomeUncertain()
    if counts.foreignContents != steps.compiled.foreignContents { log.becomeUnknown() }
    (steps.compiled.foreignControls, steps.compiled.foreignContents) = (counts.foreignControls, counts.foreignContents)
  }

  /// Detects statements that the program has compiled without the library before the library noticed the transaction.
  func noteForeignStatementsBeforeBegin() {
    let counts = db.compilation.counts
    steps.compiled.foreignControls = counts.foreignControls
    if counts.foreignContents == steps.compiled.foreignContents { return }
    steps.compiled.foreignContents = counts.foreignContents
    // Outside of a transaction, their commits were reported. Otherwise, the program has begun this transaction.
    if !db.isInAutocommitMode { log.becomeUnknown() }
  }

  func connectionWillBeShared() {
    endCaptureBypass()
    guard db.isAccessible, db.handle != nil, !log.isInStep else { return }
    sharedGeneration = currentGeneration
  }

  func sharedAccessWillEnd() {
    let db: Database = self.db
    guard db.handle != nil, db.isInAutocommitMode, !log.isInStep, db.transaction.scopes.depth == 0 else { return }
    // Commits were reported when they happened.
    let counts = db.compilation.counts
    var isReplaced =
      counts.replacements != steps.compiled.replacements || counts.vacuums != steps.compiled.vacuums
    (steps.compiled.replacements, steps.compiled.vacuums) = (counts.replacements, counts.vacuums)
    if broker.rowNeeds.exist {
      let generation = currentGeneration
      if sharedGeneration != nil, sharedGeneration != generation { isReplaced = true }
      if let generation { sharedGeneration = generation }
    }
    guard isReplaced else { return }
    if !log.isOpen { beginTransaction() }
    log.becomeUnknown(.database)
    publish(hasWritten: true)
    db.callbacks.ownCommits.didReport()
    log.reset()
  }

  /// Handles the beginning of a statement of the library that changes the schema.
  func sharedSchemaWillChange() {
    if hasChangedSharedSchema { return }
    hasChangedSharedSchema = true
    // Otherwise, a replacement before the statement would look like its effect.
    if currentGeneration != sharedGeneration { db.compilation.counts.replacements &+= 1 }
  }

  /// Handles the end of a transaction of the library that has changed the schema.
  func sharedSchemaDidChange() {
    guard db.isInAutocommitMode, !log.isInStep else { return }
    hasChangedSharedSchema = false
    if let generation = currentGeneration { sharedGeneration = generation }
  }

  /// A number that changes with the schema, and with each replacement of the database; nil if it cannot be read now.
  var currentGeneration: UInt? {
    do {
      // An access on a thread of Swift's pool must not wait for a lock.
      return try db.withoutBusyHandler { try db.shielded { try db.catalogGeneration() } }
    } catch {
      // Another connection holds a lock. In doubt, everything may have changed.
      return nil
    }
  }
}

extension Database {
  /// Runs a closure that fails if another connection holds a lock, instead of waiting.
  func withoutBusyHandler<Result>(_ body: () throws -> Result) rethrows -> Result {
    let busy = callbacks.busy
    callbacks.busy = nil
    defer { callbacks.busy = busy }
    return try body()
  }
}
