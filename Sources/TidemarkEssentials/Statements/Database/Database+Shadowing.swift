// Recompilation of statements when the main database gets a table that shadows a table of an attached database.

extension Database {
  /// Marks all statements for recompilation before their next run, if a schema has changed since the last call.
  ///
  /// SQLite recompiles a statement when one of the databases it uses has changed. If a name referred to a table of an
  /// attached database, and the main database now has a table with that name, SQLite does not notice.
  func expireStatementsOfOtherSchema() {
    // Schema queries run statements, too: prevent recursion.
    guard !caches.isExpiring, let generations = schema.generations, let handle else { return }
    caches.isExpiring = true
    defer { caches.isExpiring = false }
    // Schema queries do not count as reads of the statement that is about to run.
    let outer = recording
    recording = ReadRecording()
    defer { recording = outer }
    do {
      try shielded {
        let generation = try generations.current(self)
        if generation == caches.schemaGeneration { return }
        try handle.expireStatements(callbacks)
        // The statements of schema queries were marked, too.
        caches.schemaGeneration = try generations.current(self)
      }
    } catch {
      // The schema is locked: try again before the next statement.
      caches.schemaGeneration = nil
    }
  }
}
