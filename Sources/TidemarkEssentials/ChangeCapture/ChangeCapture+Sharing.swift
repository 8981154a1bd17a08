// Changes that the program makes with the connection's pointer and the C interface, without the library.
//
// The hook reports the rows, outside of steps or inside the steps of other statements. Other changes are detected when
// the access ends:
//
//     statements that begin or end transactions, or change the schema    the authorizer (`foreignControlCount`)
//     statements that change stored settings, ANALYZE                    the authorizer (`foreignContentCount`)
//     VACUUM, DETACH, sqlite3_deserialize                                the authorizer
//     a backup into the database                                         its schema

extension ChangeCapture {
  /// Detects statements that the program has compiled without the library since the transaction began.
  func noteForeignStatements() {
    let compilation = db.compilation
    if compilation.foreignControlCount == foreignControlCount { return }
    foreignControlCount = compilation.foreignControlCount
    log.becomeUncertain()
    if compilation.foreignContentCount != foreignContentCount {
      foreignContentCount = compilation.foreignContentCount
      log.becomeUnknown()
    }
  }

  /// Detects statements that the program has compiled without the library before the library noticed the transaction.
  func noteForeignStatementsBeforeBegin() {
    foreignControlCount = db.compilation.foreignControlCount
    if db.compilation.foreignContentCount == foreignContentCount { return }
    foreignContentCount = db.compilation.foreignContentCount
    // Outside of a transaction, their commits were reported. Otherwise, the program has begun this transaction.
    if !db.isInAutocommitMode { log.becomeUnknown() }
  }

  func connectionWillBeShared() {
    guard db.isAccessible, db.handle != nil, !log.isInStep else { return }
    sharedGeneration = currentGeneration
  }

  func sharedAccessWillEnd() {
    let db: Database = self.db
    guard db.handle != nil, db.isInAutocommitMode, !log.isInStep, db.transaction.scopes.depth == 0 else { return }
    // Commits were reported when they happened.
    var isReplaced = db.compilation.replacementCount != replacementCount
    replacementCount = db.compilation.replacementCount
    if db.compilation.vacuumCount != vacuumCount {
      vacuumCount = db.compilation.vacuumCount
      isReplaced = true
    }
    if broker.listening.isOn {
      let generation = currentGeneration
      if sharedGeneration != nil, sharedGeneration != generation { isReplaced = true }
      if let generation { sharedGeneration = generation }
    }
    guard isReplaced else { return }
    if !log.isOpen { beginTransaction() }
    log.becomeUnknown()
    publish(hasWritten: true)
    db.callbacks.ownCommits.didReport()
    log.reset()
  }

  /// A number that changes with the schema, and with each replacement of the database; nil if it cannot be read now.
  private var currentGeneration: UInt? {
    // An access on a thread of Swift's pool must not wait for a lock.
    let busy = db.callbacks.busy
    db.callbacks.busy = nil
    defer { db.callbacks.busy = busy }
    do {
      return try db.shielded { try db.catalogGeneration() }
    } catch {
      // Another connection holds a lock. In doubt, everything may have changed.
      return nil
    }
  }
}
