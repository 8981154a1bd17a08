import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Records what compiled statements read, write, and do otherwise.
///
/// SQLite calls the authorizer for every table and column of a statement, also when it compiles a statement again
/// during a step. Invariants:
///
/// 1. A record belongs to the statement under compilation: recording starts and ends with the call that compiles.
/// 2. Compilations nest: SQLite creates the tokenizer of a full-text table while a statement on this table is compiled,
///    and the tokenizer may execute other statements. Each compilation has its own record.
/// 3. Names of read tables and columns are converted to Swift strings only if a region is requested, because most
///    statements are compiled without one. Names of written ones are always converted.
final class CompilationRecorder: StatementAuthorizer {
  /// Whether a statement may attach files or write other files.
  var allowsAttachedFiles = true

  /// Whether statements must not set what would make later writes of the connection fail.
  var keepsConnectionWritable = false

  private static let settingsThatPreventWrites: Set = ["query_only", "locking_mode", "max_page_count"]

  /// Called with the value of `PRAGMA wal_autocheckpoint`, which takes effect during compilation.
  var didSetAutomaticCheckpoint: ((_ frameCount: Int) -> Void)?

  /// Called when `PRAGMA journal_mode` or `PRAGMA locking_mode` will change, or has changed, the mode.
  var willSetJournalMode: (() -> Void)?

  /// Called when a running `VACUUM` begins. It calls no commit hook.
  var vacuumWillBegin: (() -> Void)?

  /// Whether `PRAGMA synchronous` has set a value for the main database. It takes effect during compilation.
  var hasSetSynchronous = false

  private var automaticCheckpoint: Int?

  var counts = Counts()

  /// The numbers of compiled statements and actions. Users compare old and new values.
  struct Counts {
    /// Compiled actions other than reading and writing rows. The program may compile statements without the library.
    var effects: UInt = 0

    /// Compilations without the library of statements that change the schema, or begin or end a transaction or a
    /// savepoint.
    var foreignControls: UInt = 0

    /// Compilations without the library of statements that change the schema, or stored settings.
    var foreignContents: UInt = 0

    /// Schema changes compiled during a step: again, for another schema, or by a virtual table. `DROP TABLE IF EXISTS
    /// t` has nothing to do, or drops the table that was created after the first compilation.
    var recompiledSchemaChanges: UInt = 0

    /// Writing statements compiled during a step: again, or by a virtual table.
    var recompiledWrites: UInt = 0

    /// Databases that were detached, or may have been replaced, without the library.
    var replacements: UInt = 0

    /// Begun `VACUUM` statements.
    var vacuums: UInt = 0

    /// Added and removed functions whose names regions understand.
    var redefinedFunctions: UInt = 0

    /// Databases that were attached, or may have been.
    var attachments: UInt = 0

    /// Statements of the library that run their first step now: nested ones, if there are several.
    var runningSteps: UInt = 0
  }

  var effectCount: UInt { counts.effects }

  /// Whether a database was attached, or may have been.
  var mayHaveAttachedDatabases: Bool { counts.attachments > 0 }

  /// The same information for other threads.
  let attachedDatabases = AttachedDatabases()

  /// The last schema changes that ``Counts/recompiledSchemaChanges`` counts; nil for `ANALYZE` and `REINDEX`.
  /// Change capture removes them at the end of a step.
  var recompiledSchemaChanges: [SchemaChange?] = []

  /// Whether a DELETE must call the update hook for each row. Without the pre-update hook, it may not do so.
  var deletesRowByRow = false

  /// Whether a DELETE was compiled while the pre-update hook was off: it may empty a table without calling the hook.
  var hasUnhookedDeletes = false

  /// Whether operators or collations of SQLite may have been redefined: the program has functions or collations of
  /// their names, or has set how `LIKE` compares.
  private(set) var redefinesOperators = false

  private static let operatorNames: Set = ["like", "glob", "->", "->>", "binary", "nocase", "rtrim"]

  /// Called before a writing statement is compiled during a step; nil on a read-only connection.
  var changeObserver: (any ChangeObserver)?

  private var effects: StatementEffects = []
  private var writes: StatementWrites.Record?
  private var compilationDepth = 0
  private var reads: StatementReads?

  /// The depth of the compilation whose reads are recorded.
  private var depthOfReads = 0

  private var isCompiling: Bool { compilationDepth > 0 }

  /// Runs a compilation, and returns the effects and writes of the statement.
  func effects(of compile: () throws -> Void) rethrows -> (effects: StatementEffects, writes: StatementWrites.Record?) {
    let outer = (effects, writes)
    (effects, writes) = ([], nil)
    compilationDepth += 1
    defer {
      compilationDepth -= 1
      (effects, writes) = outer
    }
    try compile()
    if let frameCount = automaticCheckpoint {
      automaticCheckpoint = nil
      didSetAutomaticCheckpoint?(frameCount)
    }
    return (effects, writes)
  }

  /// Runs a closure that compiles a statement, and returns the reads of the statement.
  func reads(of compile: () throws -> Void) rethrows -> StatementReads {
    let outer = (reads, depthOfReads)
    (reads, depthOfReads) = (StatementReads(), compilationDepth + 1)
    defer { (reads, depthOfReads) = outer }
    try compile()
    return reads ?? StatementReads()
  }

  func authorize(
    _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, _ triggerOrView: UnsafePointer<CChar>?
  ) -> CInt {
    switch action {
    case SQLITE_READ:
      if reads != nil, compilationDepth == depthOfReads, let first {
        reads?.record(table: first, column: second, database: database)
      }
      return SQLITE_OK
    case SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE:
      return SQLITE_OK
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      return recordWrite(action, table: first, column: second, database: database)
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
      counts.effects &+= 1
      noteControl()
      if isCompiling, action == SQLITE_SAVEPOINT, let first, let second {
        record { $0.savepoint = .init(String(cString: first), name: String(cString: second)) }
      }
      if isCompiling {
        effects.insert(.transactionControl)
        if let first, strcmp(first, "ROLLBACK") == 0 { effects.insert(.undo) }
        if action == SQLITE_TRANSACTION, let first, strcmp(first, "BEGIN") == 0 { effects.insert(.begin) }
        if let first, strcmp(first, "COMMIT") == 0 || strcmp(first, "RELEASE") == 0 { effects.insert(.keep) }
      }
      return SQLITE_OK
    case SQLITE_ATTACH, SQLITE_DETACH:
      // VACUUM INTO also attaches its file. A plain VACUUM attaches a private database without a name.
      let isPrivate = action == SQLITE_ATTACH && first?.pointee == 0
      if isPrivate {
        counts.vacuums &+= 1
        if !isCompiling { vacuumWillBegin?() }
      }
      if !isPrivate || isCompiling || counts.runningSteps == 0 {
        counts.attachments &+= 1
        attachedDatabases.willAttach()
      }
      // `sqlite3_deserialize` replaces a database: it attaches another one under the same name.
      if !isCompiling, action == SQLITE_DETACH || first == nil || !isPrivate && counts.runningSteps == 0 {
        counts.replacements &+= 1
      }
      if action == SQLITE_DETACH {
        noteContent()
        record { $0.schemaChanges.append(.detachment(of: first.map { String(cString: $0) } ?? "")) }
      } else if !isPrivate {
        record { $0.schemaChanges.append(.attachment) }
      }
      return allowsAttachedFiles || isPrivate ? SQLITE_OK : SQLITE_DENY
    case SQLITE_PRAGMA:
      counts.effects &+= 1
      if isCompiling { effects.insert(.schemaOrPragma) }
      if keepsConnectionWritable, let first, second != nil,
        Self.settingsThatPreventWrites.contains(String(cString: first).asciiLowercased)
      {
        return SQLITE_DENY
      }
      if let first, let second, sqlite3_stricmp(first, "wal_autocheckpoint") == 0 {
        automaticCheckpoint = Int(String(cString: second)) ?? 0
      }
      if let first, StoredSetting.isChanged(by: first, hasValue: second != nil) {
        noteContent()
        let isUserVersion = sqlite3_stricmp(first, "user_version") == 0
        record { writes in
          writes.changesSettings = true
          if isUserVersion { writes.userVersionDatabase = database.map { String(cString: $0) } ?? "main" }
        }
      }
      if let first, second != nil, sqlite3_stricmp(first, "case_sensitive_like") == 0 { redefinesOperators = true }
      if let first, second != nil, sqlite3_stricmp(first, "synchronous") == 0,
        database == nil || sqlite3_stricmp(database, "main") == 0
      {
        hasSetSynchronous = true
      }
      if let first, second != nil,
        sqlite3_stricmp(first, "journal_mode") == 0 || sqlite3_stricmp(first, "locking_mode") == 0
      {
        if isCompiling { effects.insert(.journalMode) }
        willSetJournalMode?()
      }
      return SQLITE_OK
    default:
      counts.effects &+= 1
      if isCompiling { effects.insert(.schemaOrPragma) }
      noteContent()
      let change = SchemaChange(action, first, second, database)
      if !isCompiling, counts.runningSteps > 0 {
        counts.recompiledSchemaChanges &+= 1
        // Steps that are not captured leave their changes. One that lacks some of its own counts as unknown.
        if recompiledSchemaChanges.count == 100 { recompiledSchemaChanges = [] }
        recompiledSchemaChanges.append(change)
      }
      // With other statistics, SQLite may choose another index, so that rows have another order.
      if action == SQLITE_ANALYZE { record { $0.changesSettings = true } }
      if isCompiling, let change { record { $0.schemaChanges.append(change) } }
      return SQLITE_OK
    }
  }

  /// Records that a function or a collation is about to be added or removed.
  func willRedefine(_ name: String) {
    let name = name.asciiLowercased
    if Self.operatorNames.contains(name) { redefinesOperators = true }
    if RowFunction(rawValue: name) != nil || TextPattern(rawValue: name) != nil { counts.redefinedFunctions += 1 }
  }

  // MARK: Writes

  private func record(_ body: (inout StatementWrites.Record) -> Void) {
    guard isCompiling else { return }
    var record = writes.take() ?? StatementWrites.Record()
    body(&record)
    writes = record
  }

  private func recordWrite(
    _ action: CInt, table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?, database: UnsafePointer<CChar>?
  ) -> CInt {
    if counts.runningSteps > 0 {
      changeObserver?.willRecompileWrite()
      counts.recompiledWrites &+= 1
    }
    if action == SQLITE_DELETE { hasUnhookedDeletes = true }
    guard isCompiling, let table else { return deletesRowByRow && action == SQLITE_DELETE ? SQLITE_IGNORE : SQLITE_OK }
    var changesSchema = false
    record { writes in
      // Statements that change the schema write the schema table. They are recorded as schema changes.
      if sqlite3_strnicmp(table, "sqlite_master", 13) == 0 || sqlite3_strnicmp(table, "sqlite_temp_master", 18) == 0 {
        writes.writesSchemaTable = true
      } else {
        writes.add(
          action, table: String(cString: table), column: column.map { String(cString: $0) },
          database: database.map { String(cString: $0) } ?? "main")
      }
      changesSchema = writes.writesSchemaTable || !writes.schemaChanges.isEmpty
    }
    // Ignoring the DELETE of a DROP TABLE would ignore the DROP TABLE.
    return deletesRowByRow && action == SQLITE_DELETE && !changesSchema ? SQLITE_IGNORE : SQLITE_OK
  }

  private func noteControl() {
    if !isCompiling, counts.runningSteps == 0 { counts.foreignControls &+= 1 }
  }

  private func noteContent() {
    noteControl()
    if !isCompiling, counts.runningSteps == 0 { counts.foreignContents &+= 1 }
  }
}

/// The effects of a statement other than reading and writing rows.
struct StatementEffects: OptionSet, Sendable {
  var rawValue: Int

  /// It begins or ends a transaction or a savepoint.
  static let transactionControl = StatementEffects(rawValue: 1)

  /// It changes the schema, or the connection.
  static let schemaOrPragma = StatementEffects(rawValue: 2)

  /// It undoes a transaction, or the changes since a savepoint.
  static let undo = StatementEffects(rawValue: 4)

  /// It commits a transaction, or keeps the changes since a savepoint.
  static let keep = StatementEffects(rawValue: 8)

  /// It begins a transaction.
  static let begin = StatementEffects(rawValue: 16)

  /// It may leave WAL mode, or change the locking mode.
  static let journalMode = StatementEffects(rawValue: 32)
}
