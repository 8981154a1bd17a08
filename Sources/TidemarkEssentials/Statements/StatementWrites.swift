import CSQLite

/// The writes of a statement as the authorizer reports them: rows of tables, including writes of triggers and foreign
/// keys, the schema, and savepoints.
final class StatementWrites {
  /// The writes to the rows of one table.
  struct WrittenTable {
    let key: TableKey
    var inserts = false
    var deletes = false

    /// The updated columns, as written in the schema.
    var updatedColumns: Set<String> = []

    /// The events to offer to transaction observers.
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

    /// The savepoint of a write in a group: see `Database+Groups.swift`.
    static let nameOfGroups = "tidemark_write"

    var isOfGroup: Bool {
      switch self {
      case .open(let name), .release(let name), .rollback(let name): name.asciiLowercased == Self.nameOfGroups
      }
    }
  }

  /// The reports of the authorizer while the statement is compiled.
  struct Record {
    var tables: [WrittenTable] = []
    var schemaChanges: [SchemaChange] = []
    var savepoint: Savepoint?
    var writesSchemaTable = false

    /// Whether the statement changes stored settings of a database, or its statistics: `PRAGMA user_version = 1`,
    /// `ANALYZE`.
    var changesSettings = false

    /// The database whose `user_version` the statement sets, if it sets one.
    var userVersionDatabase: String?
  }

  /// The findings of change capture about the statement.
  struct Findings {
    /// The capture plan of the statement.
    var plan: AnyObject?

    /// Whether the steps of the statement may bypass change capture.
    var bypass = CaptureBypass.Eligibility.none

    /// The number of consecutive captured steps that were not eligible for the bypass.
    var capturedStepCount = 0

    /// Whether conflicts may delete rows, which the authorizer does not report; nil if unknown.
    var mayReplace: Bool?

    /// Whether none of the tables is virtual; nil if unknown.
    var areTablesOrdinary: Bool?
  }

  private(set) var tables: [WrittenTable]
  let schemaChanges: [SchemaChange]
  let savepoint: Savepoint?
  let writesSchemaTable: Bool

  /// Whether the statement changes stored settings of a database, or its statistics.
  let changesSettings: Bool

  /// The database whose `user_version` the statement sets, if it sets one.
  let userVersionDatabase: String?

  /// Whether it changes the schema table, but no object of the schema: `PRAGMA writable_schema` allows this.
  var changesSchemaTableOnly: Bool { writesSchemaTable && schemaChanges.isEmpty }

  /// Whether the statement is captured even without needs.
  let isAlwaysCaptured: Bool

  /// Whether it changes the content or the schema of a database, and whether this is the main database.
  let changesContent: Bool
  let changesMainDatabase: Bool

  /// How often SQLite had compiled the statement again when its writes were determined.
  private var recompilationCount: CInt = 0

  var findings = Findings()

  init(_ record: Record) {
    (tables, schemaChanges, savepoint) = (record.tables, record.schemaChanges, record.savepoint)
    writesSchemaTable = record.writesSchemaTable
    (changesSettings, userVersionDatabase) = (record.changesSettings, record.userVersionDatabase)
    changesMainDatabase =
      tables.contains { $0.key.database == "main" } || userVersionDatabase == "main"
      || schemaChanges.contains { $0.kind != .detach && $0.database == "main" }
    changesContent =
      savepoint == nil
      && (changesMainDatabase || !tables.isEmpty || schemaChanges.contains { $0.kind != .detach })
    isAlwaysCaptured = savepoint != nil || !schemaChanges.isEmpty || writesSchemaTable || changesSettings
  }

  /// Whether SQLite has not compiled the statement again since, perhaps for another schema.
  func hold(for statement: Statement) -> Bool { recompilationCount == statement.recompilationCountOfSQLite }

  /// Determines the writes of the statement again.
  func renew(for statement: Statement) throws {
    let count = statement.recompilationCountOfSQLite
    tables = try statement.copy().writes?.tables ?? []
    recompilationCount = count
    forgetFindings()
  }

  /// Discards the cached findings: the statement may have been compiled again, for another schema.
  func forgetFindings() { findings = Findings(capturedStepCount: findings.capturedStepCount) }
}

extension StatementWrites.Record {
  mutating func add(_ action: CInt, table: String, column: String?, database: String) {
    let key = TableKey(table, in: database)
    let index =
      tables.firstIndex { $0.key == key }
      ?? {
        tables.append(StatementWrites.WrittenTable(key: key))
        return tables.count - 1
      }()
    switch action {
    case SQLITE_INSERT: tables[index].inserts = true
    case SQLITE_DELETE: tables[index].deletes = true
    default: if let column { tables[index].updatedColumns.insert(column) }
    }
  }
}

/// A schema change requested by a statement.
struct SchemaChange: Hashable, Sendable {
  enum Kind: Sendable {
    case create
    case drop
    case alter

    /// A database was attached, or detached. Another one may have had the same name before.
    case attach
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

  /// The name of the created, dropped or altered object. A renamed table has its former name.
  var name: String

  /// The database of the object. SQLite does not report under which name a database is attached: it is empty then.
  var database: String

  /// The table of an index or a trigger that is created.
  var table: String?

  static let attachment = SchemaChange(kind: .attach, subject: .database, name: "", database: "")

  static func detachment(of database: String) -> SchemaChange {
    SchemaChange(kind: .detach, subject: .database, name: "", database: database)
  }
}

extension SchemaChange {
  /// Creates a change from the arguments of the authorizer; nil if they do not change the schema.
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
    // ALTER TABLE has the database as its first argument.
    let isAlteration = action == SQLITE_ALTER_TABLE
    name = (isAlteration ? second : first).map { String(cString: $0) } ?? ""
    self.database = (isAlteration ? first : database).map { String(cString: $0) } ?? "main"
    if kind == .create, subject == .index || subject == .trigger { table = second.map { String(cString: $0) } }
  }
}

/// The settings in the header of a database that pragmas read and write.
enum StoredSetting {
  // An array of these needs no type metadata. A set of strings would take a fifth of the instructions of opening the
  // first connection.
  private static let names: [StaticString] = [
    "application_id", "auto_vacuum", "encoding", "schema_version", "user_version",
  ]

  /// Returns whether a pragma reads or writes a stored setting.
  static func includes(_ pragma: UnsafePointer<CChar>) -> Bool {
    names.contains { $0.utf8Start.withMemoryRebound(to: CChar.self, capacity: 1) { sqlite3_stricmp(pragma, $0) == 0 } }
  }

  /// Returns whether a compiled pragma changes a stored setting.
  static func isChanged(by pragma: UnsafePointer<CChar>, hasValue: Bool) -> Bool {
    // These pragmas free pages, and compute statistics, with or without a value.
    if sqlite3_stricmp(pragma, "incremental_vacuum") == 0 || sqlite3_stricmp(pragma, "optimize") == 0 { return true }
    return hasValue && includes(pragma)
  }
}
