// Recompilation of statements when the main database gets a table that shadows a table of an attached database.

extension Database {
  /// Marks all statements for recompilation before their next run, if a schema has changed since the last call.
  ///
  /// SQLite recompiles a statement when one of the databases it uses has changed. If a name referred to a table of an
  /// attached database, and the main database now has a table with that name, SQLite does not notice.
  func expireStatementsOfOtherSchema() {
    // Schema queries run statements, too: prevent recursion.
    guard !isExpiringStatements, let schemaFacts, let handle else { return }
    isExpiringStatements = true
    defer { isExpiringStatements = false }
    // Schema queries do not count as reads of the statement that is about to run.
    let (readSet, digest) = (self.readSet, currentDigest)
    (self.readSet, currentDigest) = (nil, nil)
    defer { (self.readSet, currentDigest) = (readSet, digest) }
    do {
      try shielded {
        let generation = try schemaFacts.generation(self)
        if generation == generationOfStatements { return }
        try handle.expireStatements(callbacks)
        // The statements of schema queries were marked, too.
        generationOfStatements = try schemaFacts.generation(self)
      }
    } catch {
      // The schema is locked: try again before the next statement.
      generationOfStatements = nil
    }
  }
}
