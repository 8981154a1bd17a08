// What the program does with the connection without the library: with its pointer, and the interface of SQLite.
//
// Rows that it changes are told by the hook, outside of steps, or inside of those of others. The rest is seen when the
// access ends:
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
    guard db.handle != nil, db.isInAutocommitMode, !log.isInStep, db.transactionDepth == 0 else { return }
    // What has committed something was reported when it did.
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

  /// A number that changes with the schema, and with each replacement of the database; nil when it cannot be told now.
  private var currentGeneration: UInt? {
    // An access that may run on a thread of Swift's pool waits for nobody.
    let busy = db.callbacks.busy
    db.callbacks.busy = nil
    defer { db.callbacks.busy = busy }
    do {
      return try db.shielded { try db.catalogGeneration() }
    } catch {
      // Somebody has a lock, and is asked again at the end of the next access.
      return nil
    }
  }
}
