import Tidemark
@testable import TidemarkEssentials

/// The content of a database, which decides without the library's capture which rows have changed.
struct ContentSnapshot {
  private struct Table {
    var key: TableKey
    var rows: [[DatabaseValue]: RowImage]

    /// Whether any change of rows counts as a change of all of them: the table is virtual, or has generated columns,
    /// whose values are not stored.
    var isCoarse: Bool
  }

  private let tables: [String: Table]

  /// The versions of the schema and of the program: all queries are fetched when they change.
  private let versions: [Int]

  /// The last entry of the change feed.
  private let lastEntry: Int64

  init(_ db: Database) throws {
    versions = try ["schema_version", "user_version"].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") ?? 0 }
    lastEntry = try Int64.fetchOne(db, sql: "SELECT max(id) FROM tidemark_feed") ?? 0
    let list = try Row.fetchAll(
      db,
      sql: """
        SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND type <> 'view'
        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'tidemark_%'
        """)
    var tables: [String: Table] = [:]
    let virtualTables: [String] = list.filter { $0["type"] == "virtual" }.map { $0["name"] }
    for row in list where row["type"] != "virtual" {
      let (name, hasRowID): (String, Bool) = (row["name"], !row["wr"])
      // The rows of a virtual table are in tables of its own.
      let owner = row["type"] == "shadow" ? virtualTables.first { name.hasPrefix("\($0)_") } : nil
      let table = try Self.table(name, owner, hasRowID: hasRowID, db)
      tables[name] = table
    }
    self.tables = tables
  }

  private static func table(_ name: String, _ owner: String?, hasRowID: Bool, _ db: Database) throws -> Table {
    let info = try Row.fetchAll(db, sql: "PRAGMA table_xinfo(\(name.quoted))")
    let primaryKey: [String] = info.filter { $0["pk"] > 0 }.map { $0["name"] }
    let isCoarse = owner != nil || info.contains { $0["hidden"] > 0 }
    let rows = try Row.fetchAll(db, sql: "SELECT \(hasRowID ? "rowid, " : "")* FROM \(name.quoted)")
    let names = (rows.first.map { Array($0.columnNames) } ?? []).dropFirst(hasRowID ? 1 : 0).map { $0.lowercased() }
    var images: [[DatabaseValue]: RowImage] = [:]
    for row in rows {
      let values = Array(row.databaseValues)
      let content = Dictionary(zip(names, values.dropFirst(hasRowID ? 1 : 0))) { first, _ in first }
      let key = hasRowID ? [values[0]] : primaryKey.compactMap { content[$0.lowercased()] }
      images[key] = RowImage(rowID: hasRowID ? Int64.fromDatabaseValue(values[0]) : nil, values: content)
    }
    return Table(key: TableKey(owner ?? name), rows: images, isCoarse: isCoarse)
  }

  /// The difference to another snapshot.
  func changes(since before: ContentSnapshot) -> [ContentChange] {
    var changes: [ContentChange] = versions == before.versions ? [] : [.everything]
    for (name, table) in tables {
      let rows = Self.rowChanges(table.key, from: before.tables[name]?.rows ?? [:], to: table.rows)
      if !rows.isEmpty, table.isCoarse {
        changes.append(.table(table.key))
      } else {
        changes += rows.map { .row($0) }
      }
    }
    return changes
  }

  /// The changes that the transactions since another snapshot have stored.
  func storedChanges(since before: ContentSnapshot, _ db: Database) throws -> [ContentChange] {
    let coarseTables = Set(tables.values.filter(\.isCoarse).map(\.key))
    return try ContentChange.stored(after: before.lastEntry, coarseTables: coarseTables, db)
  }

  private static func rowChanges(
    _ table: TableKey, from before: [[DatabaseValue]: RowImage], to after: [[DatabaseValue]: RowImage]
  ) -> [RowChange] {
    var changes: [RowChange] = []
    for (key, old) in before where after[key] == nil {
      changes.append(RowChange(table: table, kind: .delete, old: old, new: nil, changedColumns: nil))
    }
    for (key, new) in after {
      guard let old = before[key] else {
        changes.append(RowChange(table: table, kind: .insert, old: nil, new: new, changedColumns: nil))
        continue
      }
      let changed = new.values.filter { old.values[$0.key] != $0.value }
      if changed.isEmpty { continue }
      changes.append(RowChange(table: table, kind: .update, old: old, new: new, changedColumns: Set(changed.keys)))
    }
    return changes
  }
}

extension String {
  fileprivate var quoted: String { "\"\(self)\"" }
}
