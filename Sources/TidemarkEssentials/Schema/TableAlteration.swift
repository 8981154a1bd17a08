/// Changes of a table.
///
/// ```swift
/// try db.alter(table: "player") { t in
///   t.add(column: "hasBonus", .boolean).notNull().defaults(to: false)
///   t.rename(column: "name", to: "nickname")
///   t.drop(column: "score")
/// }
/// ```
///
/// See `Database.alter(table:body:)`.
public final class TableAlteration {
  private enum Change {
    case add(ColumnDefinition)
    case addLiteral(SQL)
    case rename(String, to: String)
    case drop(String)
  }

  private let name: String
  private var changes: [Change] = []

  init(_ name: String) {
    self.name = name
  }

  /// Adds a column.
  @discardableResult
  public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type?.rawValue)
    changes.append(.add(column))
    return column
  }

  /// Adds a column in raw SQL: `t.addColumn(sql: "score INTEGER")`.
  public func addColumn(sql: String) {
    changes.append(.addLiteral(SQL(sql: sql)))
  }

  /// Adds a column in SQL: `t.addColumn(literal: "score INTEGER DEFAULT \(score)")`.
  public func addColumn(literal: SQL) {
    changes.append(.addLiteral(literal))
  }

  /// Renames a column, here and wherever the schema mentions it.
  public func rename(column name: String, to newName: String) {
    changes.append(.rename(name, to: newName))
  }

  /// Removes a column.
  public func drop(column name: String) {
    changes.append(.drop(name))
  }

  // MARK: - SQL

  /// Makes the changes, one after the other: one may depend on those before it.
  func apply(_ db: Database) throws {
    for change in changes {
      for sql in try statements(change, db) { try db.execute(sql: sql) }
    }
  }

  private func statements(_ change: Change, _ db: Database) throws -> [String] {
    let start = "ALTER TABLE \(name.quotedDatabaseIdentifier)"
    switch change {
    case .add(let column):
      let sql = try column.sql(in: TableContext(db: db, tableName: name))
      let index = column.indexSQL(ofTable: name, ifNotExists: false)
      return ["\(start) ADD COLUMN \(sql)"] + (index.map { [$0] } ?? [])
    case .addLiteral(let literal):
      return ["\(start) ADD COLUMN \(try db.text(of: literal))"]
    case .rename(let column, let newName):
      return ["\(start) RENAME COLUMN \([column].quotedList) TO \([newName].quotedList)"]
    case .drop(let column):
      return ["\(start) DROP COLUMN \([column].quotedList)"]
    }
  }
}
