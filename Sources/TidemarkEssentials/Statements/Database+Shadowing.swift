// Names that stand for a table of an attached database, until the main database gets a table of that name.

extension Database {
  /// Has all statements compiled again before their next run, if a schema has changed since the last call.
  ///
  /// SQLite compiles a statement again when one of the databases that it uses has changed. A name that meant a table of
  /// an attached database may mean one of the main database since, which the statement does not use.
  func expireStatementsOfOtherSchema() {
    // What is asked for the schema begins statements, too.
    guard !isExpiringStatements, let schemaFacts, let handle else { return }
    isExpiringStatements = true
    defer { isExpiringStatements = false }
    // Nothing of that is read by the statement that begins.
    let (readSet, digest) = (self.readSet, currentDigest)
    (self.readSet, currentDigest) = (nil, nil)
    defer { (self.readSet, currentDigest) = (readSet, digest) }
    do {
      try shielded {
        let generation = try schemaFacts.generation(self)
        if generation == generationOfStatements { return }
        try handle.expireStatements(callbacks)
        // Those that ask for the schema were compiled again, too.
        generationOfStatements = try schemaFacts.generation(self)
      }
    } catch {
      // Somebody has a lock: the next statement asks again.
      generationOfStatements = nil
    }
  }
}
