// Changes that the program makes with the connection's pointer and the C interface, without the library.
//
// The hook reports the rows, outside of steps or inside the steps of other statements. Other changes are detected when
// the access ends:
//
//     statements that begin or end transactions, or change the schema    the authorizer (`foreignControlCount`)
//     VACUUM, DETACH, sqlite3_deserialize                                the authorizer
//     a backup into the database                                         its schema

extension ChangeCapture {
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
    if broker.listening.isOn, let generation = currentGeneration {
      if let sharedGeneration, sharedGeneration != generation { isReplaced = true }
      sharedGeneration = generation
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
      // Another connection holds a lock. The end of the next access checks again.
      return nil
    }
  }
}
