import Tidemark

/// Tells what is in the schema of a connection.
///
/// ```swift
/// for column in try db.schema.columnDefinitions(table: "users") {
///   print("\(column.name) pk:\(column.primaryKey) nullable: \(column.nullable)")
/// }
/// ```
public final class SchemaReader: Sendable {
  private let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  /// What is in the schema, those of SQLite's own making included.
  ///
  /// - parameter name: The name, where only what has this name is wanted.
  /// - parameter type: The type, where only what is of this type is wanted.
  /// - parameter temp: Whether it is the schema of temporary tables.
  public func objectDefinitions(
    name: String? = nil, type: ObjectDefinition.ObjectType? = nil, temp: Bool = false
  ) throws -> [ObjectDefinition] {
    let conditions = [name.map { _ in "name = ?" }, type.map { _ in "type = ?" }].compactMap { $0 }
    let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    let sql =
      "SELECT type, name, tbl_name, rootpage, sql FROM \(temp ? "temp.sqlite_master" : "sqlite_master")\(filter)"
    return try rows(sql, [name, type?.rawValue].compactMap { $0 }).compactMap { row in
      // A type that a later SQLite may have is none of these.
      guard let type = ObjectDefinition.ObjectType(rawValue: try row.text("type")) else { return nil }
      return ObjectDefinition(
        type: type, name: try row.text("name"), tableName: try row.text("tbl_name"),
        rootpage: try row.get("rootpage") as? Int64 ?? 0, sql: try row.get("sql") as? String)
    }
  }

  // MARK: Indexes

  /// The indexes of a table, but those that SQLite has made for its constraints.
  public func indexDefinitions(table: String) throws -> [IndexDefinition] {
    try rows("SELECT name, \"unique\" FROM pragma_index_list(?) ORDER BY seq", [table]).compactMap { row in
      let name = try row.text("name")
      if name.hasPrefix("sqlite_") { return nil }
      let sql = try objectDefinitions(name: name, type: .index).first?.sql
      let isUnique = try row.get("unique") as? Int64 == 1
      return try definition(table, name, isUnique, sql)
    }
  }

  /// The indexes of a table, but those that SQLite has made for its constraints.
  public func indexDefinitions(_ table: String) throws -> [IndexDefinition] { try indexDefinitions(table: table) }

  private func definition(
    _ table: String, _ name: String, _ isUnique: Bool, _ sql: String?
  ) throws -> IndexDefinition {
    let sqlColumns = "SELECT name, \"desc\" FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno"
    let columns: [(name: String, isDescending: Bool)] = try rows(sqlColumns, [name]).compactMap { row in
      // An expression has no name.
      guard let column = try row.get("name") as? String else { return nil }
      return (column, try row.get("desc") as? Int64 == 1)
    }
    let descending = columns.filter(\.isDescending)
    let orders = Dictionary(descending.map { ($0.name, IndexDefinition.Order.DESC) }) { first, _ in first }
    return IndexDefinition(
      table: table, name: name, unique: isUnique, columns: columns.map(\.name),
      where: sql.flatMap { SQLWords.text(after: "WHERE", in: $0) },
      orders: orders.isEmpty ? nil : orders)
  }

  // MARK: Columns

  /// The columns of a table, those of a view included.
  public func columnDefinitions(table: String) throws -> [ColumnDefinition] {
    let keys = try foreignKeys(table)
    let isAutoincremented = try isAutoincremented(table)
    let sql = "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid"
    return try rows(sql, [table]).map { row in
      let name = try row.text("name")
      let isKey = try row.get("pk") as? Int64 ?? 0 > 0
      return ColumnDefinition(
        name: name, primaryKey: isKey ? .init(autoIncrement: isAutoincremented) : nil,
        type: .init(try row.text("type")), nullable: try row.get("notnull") as? Int64 == 0,
        defaultValue: LiteralValue(try row.get("dflt_value") as? String), references: keys[name])
    }
  }

  /// The columns of a table, those of a view included.
  public func columnDefinitions(_ table: String) throws -> [ColumnDefinition] { try columnDefinitions(table: table) }

  private func isAutoincremented(_ table: String) throws -> Bool {
    guard let sql = try objectDefinitions(name: table, type: .table).first?.sql else { return false }
    return SQLWords(sql).contains("AUTOINCREMENT")
  }

  private func foreignKeys(_ table: String) throws -> [String: ColumnDefinition.ForeignKey] {
    let sql =
      "SELECT \"from\", \"table\", \"to\", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq"
    let keys = try rows(sql, [table]).map { row in
      ColumnDefinition.ForeignKey(
        table: try row.text("table"), column: try row.text("from"), primaryKey: try row.get("to") as? String,
        onUpdate: try row.action("on_update"), onDelete: try row.action("on_delete"))
    }
    return Dictionary(keys.map { ($0.column, $0) }) { first, _ in first }
  }

  private func rows(_ sql: String, _ values: [String]) throws -> [Row] {
    try Array(RowIterator(statement: connection.prepare(sql, values.map { $0 as (any Binding)? }), clauses: nil))
  }
}

extension Row {
  fileprivate func text(_ column: String) throws -> String { try get(column) as? String ?? "" }

  /// What is done about a key; nil when it is nothing.
  fileprivate func action(_ column: String) throws -> String? {
    let action = try text(column)
    return action == "NO ACTION" ? nil : action
  }
}

extension Connection {
  /// Tells what is in the schema.
  public var schema: SchemaReader { SchemaReader(self) }
}
