import CSQLite
import Foundation

/// Follows the compilation of statements: what each reads, and what it does beyond reading rows.
///
/// SQLite asks it about every table and column of a statement, also when it compiles one again on its
/// own during a step. Laws:
///
/// 1. What is recorded belongs to the statement under compilation, and to no other: recording starts and
///    ends with the call that compiles.
/// 2. Names are turned into Swift strings only where a region was asked for: most statements are
///    compiled without.
final class CompilationObserver: StatementAuthorizer {
  /// Whether a statement may attach files or write others.
  var allowsOtherFiles = true

  /// Told of the number that `PRAGMA wal_autocheckpoint` was given. The compiler has carried it out.
  var didSetAutomaticCheckpoint: ((_ frameCount: Int) -> Void)?

  private var automaticCheckpoint: Int?

  /// How many times something else than reading and writing rows was asked for. The program may compile statements
  /// without the library.
  @exclusivity(unchecked) private(set) var effectCount: UInt = 0

  private var effects: StatementEffects = []
  private var isCompiling = false
  private var reads: [DatabaseRegion.TableName: ColumnSet]?

  private enum ColumnSet {
    case all
    case some(Set<String>)
  }

  /// Runs a compilation, and answers what the statement does.
  func effects(of compile: () throws -> Void) rethrows -> StatementEffects {
    isCompiling = true
    effects = []
    defer { isCompiling = false }
    try compile()
    if let frameCount = automaticCheckpoint {
      automaticCheckpoint = nil
      didSetAutomaticCheckpoint?(frameCount)
    }
    return effects
  }

  /// Runs a compilation, and answers what the statement reads.
  func region(of compile: () throws -> Void) rethrows -> DatabaseRegion {
    reads = [:]
    defer { reads = nil }
    _ = try effects(of: compile)
    let tables = (reads ?? [:]).mapValues { columns in
      switch columns {
      case .all: DatabaseRegion.TableRegion.all
      case .some(let names): DatabaseRegion.TableRegion(columns: names)
      }
    }
    return DatabaseRegion(tables: tables)
  }

  func authorize(
    _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, _ triggerOrView: UnsafePointer<CChar>?
  ) -> CInt {
    switch action {
    case SQLITE_READ:
      if reads != nil, isCompiling { recordRead(table: first, column: second) }
      return SQLITE_OK
    case SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      return SQLITE_OK
    case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
      effectCount &+= 1
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
      return allowsOtherFiles || isPrivate ? SQLITE_OK : SQLITE_DENY
    case SQLITE_PRAGMA:
      effectCount &+= 1
      if isCompiling { effects.insert(.schemaOrPragma) }
      if let first, let second, sqlite3_stricmp(first, "wal_autocheckpoint") == 0 {
        automaticCheckpoint = Int(String(cString: second)) ?? 0
      }
      return SQLITE_OK
    default:
      effectCount &+= 1
      if isCompiling { effects.insert(.schemaOrPragma) }
      return SQLITE_OK
    }
  }

  private func recordRead(table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>?) {
    guard let table else { return }
    let name = DatabaseRegion.TableName(String(cString: table))
    // An empty column stands for the table: COUNT(*), or a query that uses no column.
    guard let column, column.pointee != 0 else {
      reads?[name] = .all
      return
    }
    switch reads?[name] {
    case .all?: break
    case .some(var columns)?:
      // Taken out while it grows: a copy for each column would make wide tables quadratic.
      reads?[name] = .some([])
      columns.insert(String(cString: column))
      reads?[name] = .some(columns)
    case nil:
      reads?[name] = .some([String(cString: column)])
    }
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
}
