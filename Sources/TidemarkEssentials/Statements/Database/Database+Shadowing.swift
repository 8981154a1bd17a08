// Recompilation of statements when the main database gets a table that shadows a table of an attached database.

extension Database {
  /// Compiles the next statement of the program.
  ///
  /// Statements are marked before the compilation, so that the first run of the statement does not compile it again.
  /// A schema change that is compiled during its step would be reported as unknown.
  func compileNext(of source: inout SQLSource, isPersistent: Bool) throws -> SQLSource.Compiled? {
    if compilation.mayHaveAttachedDatabases { expireStatementsOfOtherSchema() }
    return try source.next(in: self, isPersistent: isPersistent)
  }

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
        // The statements of schema queries were marked, too: run them, also inside of a transaction.
        schema.effectCount &+= 1
        caches.schemaGeneration = try generations.current(self)
      }
    } catch {
      // The schema is locked: try again before the next statement.
      caches.schemaGeneration = nil
    }
  }
}
