import CSQLite
import Tidemark

// SQLite supports renaming columns since version 3.25, and dropping them since 3.35. For older versions, the table is
// rebuilt: created under another name, filled, and renamed to replace the old table, with its indexes and triggers.

extension SQLiteVersion {
  /// Returns whether `ALTER TABLE` supports an operation.
  func offers(_ operation: SchemaChanger.Operation) -> Bool {
    switch operation {
    case .addColumn, .renameTable, .addIndex, .dropIndex, .createTable: true
    case .renameColumn: self >= SQLiteVersion(major: 3, minor: 25)
    case .dropColumn: self >= SQLiteVersion(major: 3, minor: 35)
    }
  }
}

extension Connection {
  /// Runs a closure that rebuilds tables. In the closure, foreign keys are not enforced, and renaming a table does not
  /// change references to it.
  ///
  /// - Throws: `SchemaChanger.Error.foreignKeyError` if foreign keys are enforced, and the closure broke references.
  func rebuildingTables(_ body: () throws -> Void) throws {
    try access { _ in
      let (enforces, isLegacy) = (foreignKeys, try scalar("PRAGMA legacy_alter_table") as? Int64 == 1)
      if enforces { foreignKeys = false }
      if foreignKeys {
        throw Result.error(
          message: """
            a table cannot be rebuilt in a transaction while foreign keys are enforced: run the schema change outside \
            of the transaction, or execute PRAGMA foreign_keys = OFF before it
            """, code: SQLITE_MISUSE,
          statement: nil)
      }
      try run("PRAGMA legacy_alter_table = ON")
      defer {
        if enforces { foreignKeys = true }
        if !isLegacy { setPragma("PRAGMA legacy_alter_table = OFF") }
      }
      let known = enforces ? Set(try foreignKeyCheck()) : []
      try savepoint("schema_changer") {
        try body()
        let lost = enforces ? try foreignKeyCheck().filter { !known.contains($0) } : []
        if !lost.isEmpty { throw SchemaChanger.Error.foreignKeyError(lost) }
      }
    }
  }

  /// Rebuilds a table without one of its columns, or with a renamed column.
  func rebuild(_ table: String, _ operation: SchemaChanger.Operation) throws {
    let objects = try schema.objectDefinitions().filter { $0.tableName.lowercased() == table.lowercased() }
    guard let old = objects.first(where: { $0.type == .table }), let sql = old.sql, var text = TableText(sql) else {
      throw Result.error(message: "no such table: \(table)", code: SQLITE_ERROR, statement: nil)
    }
    var columns = try storedColumns(of: table, hasRowIds: text.hasRowIds)
    var (statements, copies) = (objects.filter { $0.type != .table }.compactMap(\.sql), columns)
    switch operation {
    case .dropColumn(let column):
      try text.drop(column, of: table)
      for object in objects where object.type == .index {
        try TableText.checkIndex(object, without: column, in: table)
      }
      columns.removeAll { $0.lowercased() == column.lowercased() }
      copies = columns
    case .renameColumn(let column, let name):
      try text.rename(column, to: name, in: table)
      copies = columns.map { $0.lowercased() == column.lowercased() ? name : $0 }
      statements = zip(objects.filter { $0.type != .table && $0.sql != nil }, statements).map { object, sql in
        object.type == .index
          ? TableText.index(sql, renaming: column, to: name, in: table)
          : TableText.trigger(sql, renaming: column, to: name)
      }
    case .addColumn, .renameTable, .addIndex, .dropIndex, .createTable:
      preconditionFailure("All SQLite versions support this change without rebuilding the table")
    }
    try replace(old.name, by: text, columns, copies)
    for statement in statements { try run(statement) }
    try checkPrograms()
  }

  private func replace(_ table: String, by text: TableText, _ columns: [String], _ copies: [String]) throws {
    let copy = "new_\(table)"
    try run(text.sql(creating: copy))
    let lists = [copies, columns].map { $0.map { $0.quote() }.joined(separator: ", ") }
    try run("INSERT INTO \(copy.quote()) (\(lists[0])) SELECT \(lists[1]) FROM \(table.quote())")
    if try scalar("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'") != nil {
      try run("DELETE FROM sqlite_sequence WHERE name = ?", copy)
      try run("INSERT INTO sqlite_sequence SELECT ?, seq FROM sqlite_sequence WHERE name = ?", copy, table)
    }
    try run("DROP TABLE \(table.quote())")
    try run("ALTER TABLE \(copy.quote()) RENAME TO \(table.quote())")
  }

  /// Returns the columns with stored values, and the row ID unless one of the columns is its alias.
  private func storedColumns(of table: String, hasRowIds: Bool) throws -> [String] {
    let rows = try Array(prepare("SELECT name, hidden FROM pragma_table_xinfo(?) ORDER BY cid", table))
    let columns = rows.filter { $0[1] as? Int64 == 0 }.compactMap { $0[0] as? String }
    let names = Set(rows.compactMap { ($0[0] as? String)?.lowercased() })
    let rowid = hasRowIds ? ["rowid", "_rowid_", "oid"].first { !names.contains($0) } : nil
    return (rowid.map { [$0] } ?? []) + columns
  }

  /// Makes SQLite compile all views and triggers, so that broken ones are detected now instead of when they are used.
  private func checkPrograms() throws {
    for object in try schema.objectDefinitions() {
      switch object.type {
      case .view: _ = try prepare("SELECT * FROM \(object.name.quote())")
      case .trigger: _ = try prepare(statement(firing: object))
      case .table, .index: break
      }
    }
  }

  private func statement(firing trigger: ObjectDefinition) throws -> String {
    let table = trigger.tableName.quote()
    let tokens = SQLWords(trigger.sql ?? "").tokens
    let event = tokens.first { token in ["INSERT", "DELETE", "UPDATE"].contains(where: token.isWord) }
    switch event?.text.uppercased() {
    case "INSERT": return "INSERT INTO \(table) DEFAULT VALUES"
    case "DELETE": return "DELETE FROM \(table)"
    default:
      let columns = try Array(prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", trigger.tableName))
      let setters = columns.compactMap { $0[0] as? String }.map { "\($0.quote()) = \($0.quote())" }
      return "UPDATE \(table) SET \(setters.joined(separator: ", "))"
    }
  }
}
