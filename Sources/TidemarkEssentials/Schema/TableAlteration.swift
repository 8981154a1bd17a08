/// The alterations of a table.
///
/// ```swift
/// try db.alter(table: "player") { t in
///   t.add(column: "hasBonus", .boolean).notNull().defaults(to: false)
///   t.rename(column: "name", to: "nickname")
///   t.drop(column: "score")
/// }
/// ```
///
/// See ``Database/alter(table:body:)``.
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
  ///
  /// ```swift
  /// t.add(column: "score", .integer).notNull().defaults(to: 0)
  /// ```
  ///
  /// - Parameter name: The name of the column.
  /// - Parameter type: The declared type of the column.
  /// - Returns: The column, to add constraints.
  @discardableResult
  public func add(column name: String, _ type: Database.ColumnType? = nil) -> ColumnDefinition {
    let column = ColumnDefinition(name, type?.rawValue)
    changes.append(.add(column))
    return column
  }

  /// Adds a column in raw SQL.
  ///
  /// ```swift
  /// t.addColumn(sql: "score INTEGER")
  /// ```
  ///
  /// - Parameter sql: An SQL column definition.
  public func addColumn(sql: String) {
    changes.append(.addLiteral(SQL(sql: sql)))
  }

  /// Adds a column as an SQL literal, with interpolated values.
  ///
  /// ```swift
  /// t.addColumn(literal: "score INTEGER DEFAULT \(score)")
  /// ```
  ///
  /// - Parameter literal: An SQL column definition.
  public func addColumn(literal: SQL) {
    changes.append(.addLiteral(literal))
  }

  /// Renames a column, and all references to it in the schema.
  ///
  /// ```swift
  /// t.rename(column: "url", to: "homepage")
  /// ```
  ///
  /// - Parameter name: The name of the column.
  /// - Parameter newName: Its new name.
  public func rename(column name: String, to newName: String) {
    changes.append(.rename(name, to: newName))
  }

  /// Removes a column.
  ///
  /// - Parameter name: The name of the column.
  public func drop(column name: String) {
    changes.append(.drop(name))
  }

  // MARK: - SQL

  /// Executes the alterations in order: each may depend on the previous ones.
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
