import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Follows the compilation of statements: what each reads, and what it does beyond reading rows.
///
/// SQLite asks it about every table and column of a statement, also when it compiles one again on its
/// own during a step. Invariants:
///
/// 1. What is recorded belongs to the statement under compilation, and to no other: recording starts and
///    ends with the call that compiles.
/// 2. Names of what is read are turned into Swift strings only where a region was asked for: most statements are
///    compiled without. Names of what is written always are.
final class CompilationRecorder: StatementAuthorizer {
  /// Whether a statement may attach files or write others.
  var allowsAttachedFiles = true

  /// Told of the number that `PRAGMA wal_autocheckpoint` was given. The compiler has carried it out.
  var didSetAutomaticCheckpoint: ((_ frameCount: Int) -> Void)?

  /// Told that `PRAGMA journal_mode` or `PRAGMA locking_mode` will be, or was, given another mode.
  var willSetJournalMode: (() -> Void)?

  /// Whether `PRAGMA synchronous` was given a value for the main database. It takes effect as it is compiled.
  var hasSetSynchronous = false

  private var automaticCheckpoint: Int?

  /// How many times something else than reading and writing rows was asked for. The program may compile statements
  /// without the library.
  @exclusivity(unchecked) private(set) var effectCount: UInt = 0

  /// Whether a database was attached, or might have been.
  @exclusivity(unchecked) private(set) var mayHaveAttachedDatabases = false

  /// The same, for other threads.
  let attachedDatabases = AttachedDatabases()

  /// Whether a delete must tell SQLite's hooks of each row. Without pre-update hook, it would not always.
  var deletesRowByRow = false

  /// Whether a statement that deletes was compiled while the pre-update hook was off: it may empty a table in one go.
  @exclusivity(unchecked) var hasUnhookedDeletes = false

  /// How many of the library's statements run their first step.
  @exclusivity(unchecked) var stepDepth = 0

  /// How many times somebody else than the library compiled a statement that changes the schema, or begins or ends a
  /// transaction or a savepoint.
  @exclusivity(unchecked) private(set) var foreignControlCount: UInt = 0

  /// How many times somebody else than the library detached a database, or may have replaced one.
  @exclusivity(unchecked) private(set) var replacementCount: UInt = 0

  /// How many times a statement that writes was compiled during a step: again, or by a virtual table.
  @exclusivity(unchecked) private(set) var recompiledWriteCount: UInt = 0

  /// Whether operators or collations of SQLite may mean something else, or did: the program has functions or collations
  /// of their names, or has said how `LIKE` compares.
  private(set) var redefinesOperators = false

  private static let operatorNames: Set = ["like", "glob", "->", "->>", "binary", "nocase", "rtrim"]

  /// How many times `VACUUM` has begun.
  @exclusivity(unchecked) private(set) var vacuumCount: UInt = 0

  /// Told before a statement that writes is compiled during a step; nil on a connection that does not write.
  var executionObserver: (any ExecutionObserver)?

  private var effects: StatementEffects = []
  private var writes: StatementWrites?
  private var isCompiling = false
  private var reads: StatementReads?

  /// Runs a compilation, and answers what the statement does.
  func effects(of compile: () throws -> Void) rethrows -> (effects: StatementEffects, writes: StatementWrites?) {
    isCompiling = true
    effects = []
    writes = nil
    defer { isCompiling = false }
    try compile()
    if let frameCount = automaticCheckpoint {
      automaticCheckpoint = nil
      didSetAutomaticCheckpoint?(frameCount)
    }
    defer { writes = nil }
    return (effects, writes)
  }

  /// Runs a compilation, and answers what the statement reads.
  func reads(of compile: () throws -> Void) rethrows -> StatementReads {
    reads = StatementReads()
    defer { reads = nil }
    _ = try effects(of: compile)
    return reads ?? StatementReads()
  }

  func authorize(
    _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, _ triggerOrView: UnsafePointer<CChar>?
  ) -> CInt {
    switch action {
    case SQLITE_READ:
      if reads != nil, isCompiling, let first {
        reads?.record(table: first, column: second, database: database)
      }
      return SQLITE_OK
    case SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE:
      return SQLITE_OK
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      return recordWrite(action, table: first, column: second, database: database)
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
      effectCount &+= 1
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
      // VACUUM INTO asks for the right to attach its file, too; VACUUM for one of no name, which nobody else sees.
      let isPrivate = action == SQLITE_ATTACH && first?.pointee == 0
      if isPrivate { vacuumCount &+= 1 }
      if !isPrivate || isCompiling || stepDepth == 0 {
        mayHaveAttachedDatabases = true
        attachedDatabases.willAttach()
      }
      // Without a file that is known, `sqlite3_deserialize` replaces a database.
      if !isCompiling, first == nil || action == SQLITE_DETACH { replacementCount &+= 1 }
      if action == SQLITE_DETACH {
        noteControl()
        record { $0.schemaChanges.append(SchemaChange(database: first.map { String(cString: $0) } ?? "")) }
      }
      return allowsAttachedFiles || isPrivate ? SQLITE_OK : SQLITE_DENY
    case SQLITE_PRAGMA:
      effectCount &+= 1
      if isCompiling { effects.insert(.schemaOrPragma) }
      if let first, let second, sqlite3_stricmp(first, "wal_autocheckpoint") == 0 {
        automaticCheckpoint = Int(String(cString: second)) ?? 0
      }
      if let first, StoredSetting.isChanged(by: first, hasValue: second != nil) {
        noteControl()
        record { $0.changesSettings = true }
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
      effectCount &+= 1
      if isCompiling { effects.insert(.schemaOrPragma) }
      noteControl()
      if isCompiling, let change = SchemaChange(action, first, second, database) {
        record { $0.schemaChanges.append(change) }
      }
      return SQLITE_OK
    }
  }

  /// A function or a collation is about to be added or removed.
  func willRedefine(_ name: String) {
    if Self.operatorNames.contains(name.asciiLowercased) { redefinesOperators = true }
  }

  // MARK: Writes

  private func record(_ body: (StatementWrites) -> Void) {
    guard isCompiling else { return }
    let writes = writes ?? StatementWrites()
    self.writes = writes
    body(writes)
  }

  private func recordWrite(
    _ action: CInt, table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?, database: UnsafePointer<CChar>?
  ) -> CInt {
    if stepDepth > 0 {
      executionObserver?.willRecompileWrite()
      recompiledWriteCount &+= 1
    }
    if action == SQLITE_DELETE { hasUnhookedDeletes = true }
    guard isCompiling, let table else { return deletesRowByRow && action == SQLITE_DELETE ? SQLITE_IGNORE : SQLITE_OK }
    var changesSchema = false
    record { writes in
      // The schema table is written by what changes the schema, and listed as such.
      if sqlite3_strnicmp(table, "sqlite_master", 13) == 0 || sqlite3_strnicmp(table, "sqlite_temp_master", 18) == 0 {
        writes.writesSchemaTable = true
      } else {
        writes.add(
          action, table: String(cString: table), column: column.map { String(cString: $0) },
          database: database.map { String(cString: $0) } ?? "main")
      }
      changesSchema = writes.writesSchemaTable || !writes.schemaChanges.isEmpty
    }
    // To ignore the delete that is part of DROP TABLE is to ignore DROP TABLE.
    return deletesRowByRow && action == SQLITE_DELETE && !changesSchema ? SQLITE_IGNORE : SQLITE_OK
  }

  private func noteControl() {
    if !isCompiling, stepDepth == 0 { foreignControlCount &+= 1 }
  }
}

/// What a statement does beyond reading and writing rows.
struct StatementEffects: OptionSet, Sendable {
  var rawValue: Int

  /// It begins or ends a transaction or a savepoint.
  static let transactionControl = StatementEffects(rawValue: 1)

  /// It changes the schema, or the connection.
  static let schemaOrPragma = StatementEffects(rawValue: 2)

  /// It undoes a transaction, or what was done since a savepoint.
  static let undo = StatementEffects(rawValue: 4)

  /// It commits a transaction, or what was done since a savepoint.
  static let keep = StatementEffects(rawValue: 8)

  /// It begins a transaction.
  static let begin = StatementEffects(rawValue: 16)

  /// It may give up the write-ahead log, or how it is shared.
  static let journalMode = StatementEffects(rawValue: 32)
}
