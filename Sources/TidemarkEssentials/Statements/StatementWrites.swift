import CSQLite

/// What a statement writes, as the authorizer names it: rows of tables, with those that triggers and foreign keys
/// write; the schema; savepoints.
final class StatementWrites {
  /// What is done to the rows of one table.
  struct WrittenTable {
    let key: TableKey
    var inserts = false
    var deletes = false

    /// The columns that are updated, as they are called.
    var updatedColumns: Set<String> = []

    /// What transaction observers are asked.
    var eventKinds: [DatabaseEventKind] {
      var kinds: [DatabaseEventKind] = []
      if deletes { kinds.append(.delete(tableName: key.name)) }
      if inserts { kinds.append(.insert(tableName: key.name)) }
      if !updatedColumns.isEmpty { kinds.append(.update(tableName: key.name, columnNames: updatedColumns)) }
      return kinds
    }
  }

  /// A statement that opens or ends a savepoint.
  enum Savepoint {
    case open(String)
    case release(String)
    case rollback(String)

    init(_ operation: String, name: String) {
      self =
        switch operation {
        case "BEGIN": .open(name)
        case "RELEASE": .release(name)
        default: .rollback(name)
        }
    }
  }

  @exclusivity(unchecked) private(set) var tables: [WrittenTable] = []

  /// How many times the statement had been compiled again by SQLite when it was found what it writes.
  private var recompilationCount: CInt = 0

  @exclusivity(unchecked) var schemaChanges: [SchemaChange] = []
  @exclusivity(unchecked) var savepoint: Savepoint?
  var writesSchemaTable = false

  /// Whether it changes what is stored of a database beside its tables: `PRAGMA user_version = 1`.
  @exclusivity(unchecked) var changesSettings = false

  /// What the watcher made of this, and keeps with the statement.
  var plan: AnyObject?

  /// Whether the watcher needs not be told of its steps.
  @exclusivity(unchecked) var bypass = CaptureBypass.Eligibility.none

  /// How many of its steps were watched in a row without being found quiet.
  @exclusivity(unchecked) var capturedStepCount = 0

  /// Whether conflicts may delete rows, of which the authorizer does not tell; nil when that is not known yet.
  var mayReplace: Bool?

  /// Whether no table is virtual; nil when that is not known yet.
  var areTablesOrdinary: Bool?

  /// Whether the statement is watched even when nobody listens to rows.
  var isAlwaysCaptured: Bool { savepoint != nil || !schemaChanges.isEmpty || changesUntoldContent }

  /// Whether what it changes is told by no row and no change of the schema.
  var changesUntoldContent: Bool { changesSettings || writesSchemaTable && schemaChanges.isEmpty }

  /// Whether the statement has not been compiled again since, for another schema perhaps.
  func hold(for statement: Statement) -> Bool { recompilationCount == statement.recompilationCountOfSQLite }

  /// Finds out what the statement writes now.
  func renew(for statement: Statement) throws {
    let count = statement.recompilationCountOfSQLite
    tables = try statement.copy().writes?.tables ?? []
    recompilationCount = count
    forgetFindings()
  }

  /// Forgets what the watcher has found: the statement may have been compiled again, for another schema.
  func forgetFindings() { (plan, areTablesOrdinary, mayReplace, bypass) = (nil, nil, nil, .none) }

  func add(_ action: CInt, table: String, column: String?, database: String) {
    let key = TableKey(table, in: database)
    let index =
      tables.firstIndex { $0.key == key }
      ?? {
        tables.append(WrittenTable(key: key))
        return tables.count - 1
      }()
    switch action {
    case SQLITE_INSERT: tables[index].inserts = true
    case SQLITE_DELETE: tables[index].deletes = true
    default: if let column { tables[index].updatedColumns.insert(column) }
    }
  }
}

/// A change of the schema, as a statement asks for it.
struct SchemaChange: Hashable, Sendable {
  enum Kind: Sendable {
    case create
    case drop
    case alter

    /// The database has gone.
    case detach
  }

  enum Subject: Sendable {
    case table
    case view
    case index
    case trigger
    case database
  }

  var kind: Kind
  var subject: Subject

  /// The name of what is created, dropped or altered. A table that is renamed has its old one.
  var name: String

  /// The database that it is in.
  var database: String

  init(database: String) {
    (kind, subject, name, self.database) = (.detach, .database, "", database)
  }

  /// From the arguments of the authorizer; nil when that is no change of the schema.
  init?(
    _ action: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?
  ) {
    switch action {
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VTABLE: (kind, subject) = (.create, .table)
    case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VTABLE: (kind, subject) = (.drop, .table)
    case SQLITE_CREATE_VIEW, SQLITE_CREATE_TEMP_VIEW: (kind, subject) = (.create, .view)
    case SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW: (kind, subject) = (.drop, .view)
    case SQLITE_CREATE_INDEX, SQLITE_CREATE_TEMP_INDEX: (kind, subject) = (.create, .index)
    case SQLITE_DROP_INDEX, SQLITE_DROP_TEMP_INDEX: (kind, subject) = (.drop, .index)
    case SQLITE_CREATE_TRIGGER, SQLITE_CREATE_TEMP_TRIGGER: (kind, subject) = (.create, .trigger)
    case SQLITE_DROP_TRIGGER, SQLITE_DROP_TEMP_TRIGGER: (kind, subject) = (.drop, .trigger)
    case SQLITE_ALTER_TABLE: (kind, subject) = (.alter, .table)
    default: return nil
    }
    // ALTER TABLE has the database first.
    let isAlteration = action == SQLITE_ALTER_TABLE
    name = (isAlteration ? second : first).map { String(cString: $0) } ?? ""
    self.database = (isAlteration ? first : database).map { String(cString: $0) } ?? "main"
  }
}
