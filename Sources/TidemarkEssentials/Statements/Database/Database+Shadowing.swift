// Recompilation of statements when the main database gets a table that shadows a table of an attached database.

extension Database {
  /// Marks all statements for recompilation before their next run, if a schema has changed since the last call.
  ///
  /// SQLite recompiles a statement when one of the databases it uses has changed. If a name referred to a table of an
  /// attached database, and the main database now has a table with that name, SQLite does not notice.
  func expireStatementsOfOtherSchema() {
    // Schema queries run statements, too: prevent recursion.
    guard !caches.isExpiring, let facts = schema.facts, let handle else { return }
    caches.isExpiring = true
    defer { caches.isExpiring = false }
    // Schema queries do not count as reads of the statement that is about to run.
    let (readSet, digest) = (recording.readSet, recording.digest)
    (recording.readSet, recording.digest) = (nil, nil)
    defer { (recording.readSet, recording.digest) = (readSet, digest) }
    do {
      try shielded {
        let generation = try facts.generation(self)
        if generation == caches.schemaGeneration { return }
        try handle.expireStatements(callbacks)
        // The statements of schema queries were marked, too.
        caches.schemaGeneration = try facts.generation(self)
      }
    } catch {
      // The schema is locked: try again before the next statement.
      caches.schemaGeneration = nil
    }
  }
}
