import Tidemark

/// Reads the schema of a database.
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

  /// Returns the objects in the schema, including SQLite's internal objects.
  ///
  /// ```swift
  /// let tables = try db.schema.objectDefinitions(type: .table)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the object; nil for all names.
  ///   - type: The type of the objects; nil for all types.
  ///   - temp: Whether to read the schema of temporary tables.
  /// - Returns: The objects.
  /// - Throws: A ``Result`` if the schema cannot be read.
  public func objectDefinitions(
    name: String? = nil, type: ObjectDefinition.ObjectType? = nil, temp: Bool = false
  ) throws -> [ObjectDefinition] {
    let conditions = [name.map { _ in "name = ?" }, type.map { _ in "type = ?" }].compactMap { $0 }
    let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
    let sql =
      "SELECT type, name, tbl_name, rootpage, sql FROM \(temp ? "temp.sqlite_master" : "sqlite_master")\(filter)"
    return try rows(sql, [name, type?.rawValue].compactMap { $0 }).compactMap { row in
      // Objects with a type that this version does not know are skipped.
      guard let type = ObjectDefinition.ObjectType(rawValue: try row.text("type")) else { return nil }
      return ObjectDefinition(
        type: type, name: try row.text("name"), tableName: try row.text("tbl_name"),
        rootpage: try row.get("rootpage") as? Int64 ?? 0, sql: try row.get("sql") as? String)
    }
  }

  // MARK: Indexes

  /// Returns the indexes of a table, without the indexes that SQLite creates for constraints.
  ///
  /// ```swift
  /// let indexes = try db.schema.indexDefinitions(table: "users")
  /// ```
  ///
  /// - Parameter table: The name of the table.
  /// - Returns: The indexes.
  /// - Throws: A ``Result`` if the schema cannot be read.
  public func indexDefinitions(table: String) throws -> [IndexDefinition] {
    try rows("SELECT name, \"unique\", origin FROM pragma_index_list(?) ORDER BY seq", [table]).compactMap { row in
      let name = try row.text("name")
      if name.hasPrefix("sqlite_") { return nil }
      let sql = try objectDefinitions(name: name, type: .index).first?.sql
      let isUnique = try row.get("unique") as? Int64 == 1
      return try definition(table, name, isUnique, .init(rawValue: try row.text("origin")), sql)
    }
  }

  /// Returns the indexes of a table, without the indexes that SQLite creates for constraints.
  ///
  /// ```swift
  /// let indexes = try db.schema.indexDefinitions("users")
  /// ```
  ///
  /// - Parameter table: The name of the table.
  /// - Returns: The indexes.
  /// - Throws: A ``Result`` if the schema cannot be read.
  public func indexDefinitions(_ table: String) throws -> [IndexDefinition] { try indexDefinitions(table: table) }

  private func definition(
    _ table: String, _ name: String, _ isUnique: Bool, _ origin: IndexDefinition.Origin?, _ sql: String?
  ) throws -> IndexDefinition {
    let sqlColumns = "SELECT name, \"desc\" FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno"
    let columns: [(name: String, isDescending: Bool)] = try rows(sqlColumns, [name]).compactMap { row in
      // The name of an indexed expression is NULL.
      guard let column = try row.get("name") as? String else { return nil }
      return (column, try row.get("desc") as? Int64 == 1)
    }
    let descending = columns.filter(\.isDescending)
    let orders = Dictionary(descending.map { ($0.name, IndexDefinition.Order.DESC) }) { first, _ in first }
    return IndexDefinition(
      table: table, name: name, unique: isUnique, columns: columns.map(\.name),
      where: sql.flatMap { SQLWords.text(after: "WHERE", in: $0) },
      orders: orders.isEmpty ? nil : orders, origin: origin)
  }

  // MARK: Columns

  /// Returns the columns of a table or a view.
  ///
  /// ```swift
  /// let columns = try db.schema.columnDefinitions(table: "users")
  /// ```
  ///
  /// - Parameter table: The name of the table or view.
  /// - Returns: The columns, in their declared order.
  /// - Throws: A ``Result`` if the schema cannot be read.
  public func columnDefinitions(table: String) throws -> [ColumnDefinition] {
    let keys = try foreignKeys(table)
    let primaryKey = try primaryKey(table)
    let uniqueColumns = try uniqueColumns(table)
    let sql = "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?) ORDER BY cid"
    return try rows(sql, [table]).map { row in
      let name = try row.text("name")
      let isKey = try row.get("pk") as? Int64 ?? 0 > 0
      return ColumnDefinition(
        name: name, primaryKey: isKey ? primaryKey : nil, type: .init(try row.text("type")),
        nullable: try row.get("notnull") as? Int64 == 0, unique: uniqueColumns.contains(ColumnName(text: name)),
        defaultValue: LiteralValue(try row.get("dflt_value") as? String), references: keys[ColumnName(text: name)])
    }
  }

  /// Returns the columns of a table or a view.
  ///
  /// ```swift
  /// let columns = try db.schema.columnDefinitions("users")
  /// ```
  ///
  /// - Parameter table: The name of the table or view.
  /// - Returns: The columns, in their declared order.
  /// - Throws: A ``Result`` if the schema cannot be read.
  public func columnDefinitions(_ table: String) throws -> [ColumnDefinition] { try columnDefinitions(table: table) }

  /// Returns the options of a table's primary key, from its CREATE TABLE statement.
  private func primaryKey(_ table: String) throws -> ColumnDefinition.PrimaryKey {
    let sql = try objectDefinitions(name: table, type: .table).first?.sql ?? ""
    let tokens = SQLWords(sql).tokens
    func isWord(_ word: String, at index: Int) -> Bool { tokens.indices.contains(index) && tokens[index].isWord(word) }
    let start = tokens.indices.first { tokens[$0].depth == 1 && isWord("PRIMARY", at: $0) && isWord("KEY", at: $0 + 1) }
    // The keywords are followed by the key columns in parentheses, or by the order of a single column.
    var next = (start ?? tokens.count) + 2
    while next < tokens.count, tokens[next].depth > 1 || [Substring("("), ")"].contains(tokens[next].text) {
      if tokens[next].text == ")", tokens[next].depth == 0 { break }
      next += 1
    }
    if isWord("ASC", at: next) || isWord("DESC", at: next) { next += 1 }
    let isConflict = isWord("ON", at: next) && isWord("CONFLICT", at: next + 1) && next + 2 < tokens.count
    return ColumnDefinition.PrimaryKey(
      autoIncrement: tokens.contains { $0.isWord("AUTOINCREMENT") },
      onConflict: isConflict ? .init(rawValue: tokens[next + 2].text.uppercased()) : nil)
  }

  /// Returns the columns that have a uniqueness constraint of their own.
  private func uniqueColumns(_ table: String) throws -> Set<ColumnName> {
    let sql = """
      SELECT min(columns.name) AS name
      FROM pragma_index_list(?) AS indexes, pragma_index_info(indexes.name) AS columns
      WHERE indexes.origin = 'u'
      GROUP BY indexes.name HAVING count(*) = 1
      """
    return Set(try rows(sql, [table]).map { ColumnName(text: try $0.text("name")) })
  }

  private func foreignKeys(_ table: String) throws -> [ColumnName: ColumnDefinition.ForeignKey] {
    let sql =
      "SELECT \"from\", \"table\", \"to\", on_update, on_delete FROM pragma_foreign_key_list(?) ORDER BY id, seq"
    let keys = try rows(sql, [table]).map { row in
      ColumnDefinition.ForeignKey(
        table: try row.text("table"), column: try row.text("from"), primaryKey: try row.get("to") as? String,
        onUpdate: try row.action("on_update"), onDelete: try row.action("on_delete"))
    }
    return Dictionary(keys.map { (ColumnName(text: $0.column), $0) }) { first, _ in first }
  }

  private func rows(_ sql: String, _ values: [String]) throws -> [Row] {
    try Array(RowIterator(statement: connection.prepare(sql, values.map { $0 as (any Binding)? }), clauses: nil))
  }
}

extension Row {
  fileprivate func text(_ column: String) throws -> String { try get(column) as? String ?? "" }

  /// Returns the action of a foreign key; nil for NO ACTION.
  fileprivate func action(_ column: String) throws -> String? {
    let action = try text(column)
    return action == "NO ACTION" ? nil : action
  }
}

extension Connection {
  /// A reader of the schema.
  ///
  /// ```swift
  /// let columns = try db.schema.columnDefinitions(table: "users")
  /// ```
  public var schema: SchemaReader { SchemaReader(self) }
}
