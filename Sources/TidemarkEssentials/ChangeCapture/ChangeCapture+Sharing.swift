// Changes that the program makes with the connection's pointer and the C interface, without the library.
//
// The hook reports the rows, outside of steps or inside the steps of other statements. Other changes are detected when
// the access ends:
//
//     statements that begin or end transactions, or change the schema    the authorizer (`foreignControls`)
//     statements that change stored settings, ANALYZE                    the authorizer (`foreignContents`)
//     VACUUM, ATTACH, DETACH, sqlite3_deserialize                        the authorizer
//     a backup into the database                                         its schema

extension ChangeCapture {
  /// The regions of running live queries apply to the functions of the time when the queries were fetched.
  func noteRedefinedFunctions() {
    let count = db.compilation.counts.redefinedFunctions
    if count == steps.compiled.redefinedFunctions { return }
    steps.compiled.redefinedFunctions = count
    log.becomeUnknown(.settings)
  }

  /// Detects statements that the program has compiled without the library since the transaction began.
  func noteForeignStatements(on db: Database) {
    let counts = db.compilation.counts
    if counts.foreignControls == steps.compiled.foreignControls { return }
    log.becomeUncertain()
    if counts.foreignContents != steps.compiled.foreignContents { log.becomeUnknown() }
    (steps.compiled.foreignControls, steps.compiled.foreignContents) = (counts.foreignControls, counts.foreignContents)
  }

  /// Detects statements that the program has compiled without the library in a transaction that was committed. They may
  /// have changed more than rows, such as the schema.
  func noteForeignCommit(on db: Database) {
    if db.compilation.counts.foreignControls == steps.compiled.foreignControls { return }
    noteForeignStatements(on: db)
    log.becomeUnknown()
  }

  /// Detects statements that the program has compiled without the library before the library noticed the transaction.
  func noteForeignStatementsBeforeBegin(on db: Database) {
    let counts = db.compilation.counts
    steps.compiled.foreignControls = counts.foreignControls
    if counts.foreignContents == steps.compiled.foreignContents { return }
    steps.compiled.foreignContents = counts.foreignContents
    // Outside of a transaction, their commits were reported. Otherwise, the program has begun this transaction.
    if !db.isInAutocommitMode { log.becomeUnknown() }
  }

  /// The program has executed VACUUM without the library, and then begun a transaction. The changes so far were in the
  /// log, which was reported because of VACUUM.
  func foreignTransactionContinues() {
    beginTransaction()
    log.becomeUnknown(.database)
    db.capture.mayHaveWritten = true
  }

  func connectionWillBeShared() {
    endCaptureBypass()
    guard db.isAccessible, db.handle != nil, !log.isInStep else { return }
    sharedSchemas = currentSchemas
  }

  func sharedAccessWillEnd() {
    let db: Database = self.db
    guard db.handle != nil, db.isInAutocommitMode, !log.isInStep, db.transaction.scopes.depth == 0 else { return }
    // Commits were reported when they happened.
    let counts = db.compilation.counts
    var isReplaced =
      counts.replacements != steps.compiled.replacements || counts.vacuums != steps.compiled.vacuums
    (steps.compiled.replacements, steps.compiled.vacuums) = (counts.replacements, counts.vacuums)
    // Even if no rows are needed: they may be needed before the end of the next access.
    let schemas = currentSchemas
    if sharedSchemas != nil, sharedSchemas != schemas { isReplaced = true }
    if let schemas { sharedSchemas = schemas }
    if isReplaced { databaseWasReplaced() }
  }

  /// Reports that everything in a database has changed, without a statement.
  func databaseWasReplaced() {
    if !log.isOpen { beginTransaction() }
    db.capture.bypass.epoch = 0
    recorder?.contentWasReplaced()
    log.becomeUnknown(.database)
    anythingMayHaveChanged()
  }

  /// Handles the beginning of a statement of the library that changes the schema.
  func sharedSchemaWillChange() {
    if hasChangedSharedSchema { return }
    hasChangedSharedSchema = true
    // Otherwise, a replacement before the statement would look like its effect.
    if currentSchemas != sharedSchemas { db.compilation.counts.replacements &+= 1 }
  }

  /// Handles the end of a transaction of the library that has changed the schema.
  func sharedSchemaDidChange() {
    guard db.isInAutocommitMode, !log.isInStep else { return }
    hasChangedSharedSchema = false
    if let schemas = currentSchemas { sharedSchemas = schemas }
  }

  /// The versions of the schemas. They change with each replacement of a database, too; nil if they cannot be read now.
  private var currentSchemas: [SharedSchema]? {
    do {
      // An access on a thread of Swift's pool must not wait for a lock. A transaction may just have ended.
      return try db.withoutBusyHandler {
        try db.withoutTransactionChecks { try db.shielded { try db.sharedSchemas() } }
      }
    } catch {
      // Another connection holds a lock. In doubt, everything may have changed.
      return nil
    }
  }
}

/// The schema of a database of the connection.
struct SharedSchema: Equatable {
  let databaseName: String

  /// SQLite's number, which it stores in the database and increases with each change.
  let version: Int64
}

extension Database {
  // The generation of the catalog does not serve: it changes when statements expire, for instance by a read.
  fileprivate func sharedSchemas() throws -> [SharedSchema] {
    try lookUp("PRAGMA database_list").compactMap { row in
      let name: String = row["name"]
      let version = try lookUp("PRAGMA \(name.quotedDatabaseIdentifier).schema_version").first?[0] as Int64?
      // SQLite creates the temporary database when a statement needs it.
      return name == "temp" && version == 0 ? nil : SharedSchema(databaseName: name, version: version ?? 0)
    }
  }

  /// Runs a closure that fails if another connection holds a lock, instead of waiting.
  func withoutBusyHandler<Result>(_ body: () throws -> Result) rethrows -> Result {
    let busy = callbacks.busy
    callbacks.busy = nil
    defer { callbacks.busy = busy }
    return try body()
  }
}
