import CSQLite
import StressSupport

import Tidemark
@testable import TidemarkEssentials

/// A copy of a database that follows it by the transactions of a change stream.
///
/// It executes no triggers and no foreign key actions: their changes are part of the transactions.
struct ChangeReplica {
  private let dbQueue: DatabaseQueue

  /// The databases that are copied, and those that are compared.
  private static let names = ["main", "temp", "Aux"]
  private let compared: [String]

  /// - Parameters:
  ///   - compared: The databases that follow.
  ///   - configuration: The configuration, with the functions and collations of the schema.
  init(comparing compared: [String] = names, _ configuration: Configuration = Configuration()) throws {
    self.compared = compared
    var configuration = configuration
    configuration.foreignKeysEnabled = false
    dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.inDatabase { db in
      try db.execute(sql: "ATTACH ':memory:' AS Aux; CREATE TEMP TABLE first (a); PRAGMA ignore_check_constraints = 1")
      // In defensive mode, the shadow tables of virtual tables cannot be written.
      for option in [SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_DEFENSIVE] {
        let code = tidemark_db_config_bool(db.handle?.pointer, option, 0, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
      }
    }
  }

  /// Copies a database as a whole.
  func copy(_ source: any DatabaseWriter) throws {
    try source.unsafeReentrantWrite { sourceDb in
      try dbQueue.inDatabase { db in
        for name in Self.names {
          // A program that asked for the pointer of the connection might change the database with it.
          let backup = sqlite3_backup_init(db.handle?.pointer, name, sourceDb.handle?.pointer, name)
          let code = sqlite3_backup_step(backup, -1)
          let end = sqlite3_backup_finish(backup)
          guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "copy of \(name)")
          }
        }
        // These triggers cannot be disabled.
        for name in try String.fetchAll(db, sql: "SELECT name FROM temp.sqlite_master WHERE type = 'trigger'") {
          try db.execute(sql: "DROP TRIGGER temp.\(name.quotedDatabaseIdentifier)")
        }
      }
    }
  }

  /// Copies another copy as a whole.
  func copy(_ other: ChangeReplica) throws { try copy(other.dbQueue) }

  // MARK: - Applying

  /// Applies a changeset with the method of the library.
  func apply(_ changeset: Changeset) throws {
    try dbQueue.inDatabase { db in _ = try db.apply(changeset, schemaChanges: .execute) }
  }

  func apply(_ elements: [TransactionChanges.Element]) throws {
    try dbQueue.inDatabase { db in
      try db.inTransaction {
        for element in elements {
          do {
            try apply(element, db)
          } catch {
            throw DatabaseError(message: "\(element): \(error)")
          }
        }
        return .commit
      }
    }
  }

  private func apply(_ element: TransactionChanges.Element, _ db: Database) throws {
    switch element {
    case .row(let row): try apply(row, db)
    // The rows of the shadow tables are other elements. A notification changes nothing.
    case .unknownRows, .notification: break
    case .schema(let sql): try db.execute(sql: sql)
    case .counter(let database, let table, let value):
      let sequence = "\(database.quotedDatabaseIdentifier).sqlite_sequence"
      try db.execute(sql: "DELETE FROM \(sequence) WHERE name = ?", arguments: [table])
      if let value { try db.execute(sql: "INSERT INTO \(sequence) VALUES (?, ?)", arguments: [table, value]) }
    case .userVersion(let database, let value):
      try db.execute(sql: "PRAGMA \(database.quotedDatabaseIdentifier).user_version = \(value)")
    }
  }

  private func apply(_ row: ChangedRow, _ db: Database) throws {
    let table = "\(row.table.databaseName.quotedDatabaseIdentifier).\(row.table.name.quotedDatabaseIdentifier)"
    var columns = row.table.columnNames.map(\.quotedDatabaseIdentifier)
    let database = row.table.databaseName.quotedDatabaseIdentifier
    let rowIDName = CaptureShapes.rowIDName(
      try Row.fetchAll(db, sql: "PRAGMA \(database).table_xinfo(\(row.table.name.quotedDatabaseIdentifier))"))
    if row.table.rowID == .hidden { columns.append(rowIDName) }
    func values(_ values: [DatabaseValue]?, _ identity: ChangedRow.Identity?) -> [DatabaseValue] {
      guard row.table.rowID == .hidden, case .rowID(let rowID)? = identity else { return values ?? [] }
      return (values ?? []) + [rowID.databaseValue]
    }
    let key: (sql: String, values: [DatabaseValue]) =
      switch row.oldIdentity {
      case .rowID(let rowID)?: ("\(rowIDName) = ?", [rowID.databaseValue])
      case .primaryKey(let values)?:
        // Compares bytes: another key may differ only in case.
        (
          row.table.primaryKey.map { "\(columns[$0]) IS ? COLLATE BINARY" }.joined(separator: " AND "), values
        )
      case nil: ("", [])
      }
    switch row.operation {
    case .insert:
      try db.execute(
        sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(questions(columns.count)))",
        arguments: StatementArguments(values(row.newValues, row.newIdentity)))
    case .update:
      try db.execute(
        sql: "UPDATE \(table) SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) WHERE \(key.sql)",
        arguments: StatementArguments(values(row.newValues, row.newIdentity) + key.values))
    case .delete:
      try db.execute(sql: "DELETE FROM \(table) WHERE \(key.sql)", arguments: StatementArguments(key.values))
    }
    if db.changesCount != 1 { throw DatabaseError(message: "\(db.changesCount) rows were changed") }
  }

  private func questions(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

  // MARK: - Comparing

  /// Returns the differences from another copy.
  func differences(from other: ChangeReplica) throws -> [String] { try differences(from: other.dbQueue) }

  /// Returns the differences from a database.
  ///
  /// - Parameter tables: The tables that are compared; nil for all, with the numbers that belong to no table.
  func differences(from source: any DatabaseWriter, in tables: Set<TableKey>? = nil) throws -> [String] {
    let (own, other) = (
      try dbQueue.inDatabase { try lines($0, tables) }, try source.unsafeReentrantWrite { try lines($0, tables) }
    )
    return own.symmetricDifference(other).sorted().map { own.contains($0) ? "too much: \($0)" : "missing: \($0)" }
  }

  /// The schema, the rows, and the counters.
  private func lines(_ db: Database, _ tables: Set<TableKey>?) throws -> Set<String> {
    func includes(_ name: String, _ database: String) -> Bool { tables?.contains(TableKey(name, in: database)) ?? true }
    var shapes = try CaptureShapes(db)
    shapes.tables.removeAll { !includes($0.key.name, $0.key.database) }
    var lines: Set<String> = []
    for (key, table) in try CaptureDump(db, shapes).tables
    where compared.contains(where: { key.database.lowercased() == $0.lowercased() }) {
      for (identity, values) in table.rows {
        let words = table.columns.map { "\($0) \(CaptureDump.words(values[$0]))" }
        let name = "\(key.database.lowercased()).\(key.name)"
        lines.insert("\(name) \(identity.words): \(words.joined(separator: ", "))")
      }
    }
    for name in compared {
      let master = name == "temp" ? "sqlite_temp_master" : "\(name).sqlite_master"
      let objects = try Row.fetchAll(
        db,
        sql: """
          SELECT type, name, sql FROM \(master)
          WHERE NOT (type = 'trigger' AND '\(name)' = 'temp') AND tbl_name <> '\(CaptureNeeds.undoTableName)'
          """)
      for object in objects { lines.insert("\(name): \(object)") }
      if try Bool.fetchOne(db, sql: "SELECT 1 FROM \(master) WHERE name = 'sqlite_sequence'") == true {
        for row in try Row.fetchAll(db, sql: "SELECT * FROM \(name).sqlite_sequence") {
          if includes(row["name"], name) { lines.insert("\(name) counter: \(row)") }
        }
      }
      if tables != nil { continue }
      lines.insert("\(name): \(try Int.fetchOne(db, sql: "PRAGMA \(name).user_version") ?? -1)")
    }
    return lines
  }
}
