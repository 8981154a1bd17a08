/// The content of a full-text table.
enum FullTextContent {
  /// As the options `content` and `content_rowid` define it.
  case raw(table: String?, rowID: String?)

  /// Another table, with which triggers keep the index synchronized.
  case synchronized(table: String)

  init() { self = .raw(table: nil, rowID: nil) }

  /// The content table.
  var table: String? {
    switch self {
    case .raw(let table, _): table
    case .synchronized(let table): table
    }
  }
}

/// The column that identifies the rows of a content table.
struct ContentRowID {
  var column: String

  /// Whether the options of FTS5 name the column, because it is not the hidden `rowid`.
  var isNamed: Bool
}

extension Database {
  /// Returns the column that identifies the rows of a content table.
  ///
  /// - Parameter isFTS4: Whether the index is an FTS4 table, which always uses `rowid`.
  /// - Throws: A `DatabaseError` if the table does not exist, or cannot be indexed.
  func contentRowID(of tableName: String, isFTS4: Bool) throws -> ContentRowID {
    let table = try existingTable(tableName)
    guard table.kind == .table else {
      throw DatabaseError(message: "synchronize(withTable:) requires a table that can have triggers: \(tableName)")
    }
    let key = try primaryKey(tableName)
    if let column = key.rowIDColumn { return ContentRowID(column: column, isNamed: true) }
    if key.hasRowID {
      let name = try table.rowIDName(self)
      if let name, name == "rowid" || !isFTS4 { return ContentRowID(column: name, isNamed: name != "rowid") }
    } else if !isFTS4, key.columns.count == 1, key.types[0].asciiLowercased.contains("int") {
      return ContentRowID(column: key.columns[0], isNamed: true)
    }
    throw DatabaseError(
      message: "synchronize(withTable:) requires an INTEGER PRIMARY KEY or a row ID named rowid: \(tableName)")
  }

  /// Builds the index of a full-text table from its content.
  func rebuildFullTextTable(_ tableName: String) throws {
    let name = tableName.quotedDatabaseIdentifier
    try execute(sql: "INSERT INTO \(name)(\(name)) VALUES('rebuild')")
  }

  /// Drops the triggers that keep an FTS4 table synchronized with its content table.
  ///
  /// Call this method when you drop the full-text table: the triggers belong to the content table, and its next change
  /// would fail.
  ///
  /// ```swift
  /// try db.drop(table: "bookSearch")
  /// try db.dropFTS4SynchronizationTriggers(forTable: "bookSearch")
  /// ```
  ///
  /// - Parameter tableName: The name of the full-text table. It may have been dropped, and there may be no triggers.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
    try dropTriggers(["bu", "bd", "au", "ai"], of: tableName)
  }

  /// Drops the triggers that keep an FTS5 table synchronized with its content table.
  ///
  /// Call this method when you drop the full-text table: the triggers belong to the content table, and its next change
  /// would fail.
  ///
  /// ```swift
  /// try db.drop(table: "bookSearch")
  /// try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
  /// ```
  ///
  /// - Parameter tableName: The name of the full-text table. It may have been dropped, and there may be no triggers.
  /// - Throws: A ``DatabaseError`` if SQLite fails.
  public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
    try dropTriggers(["ai", "ad", "au"], of: tableName)
  }

  private func dropTriggers(_ suffixes: [String], of tableName: String) throws {
    for suffix in suffixes {
      try execute(sql: "DROP TRIGGER IF EXISTS \(FullTextTriggers.name(suffix, of: tableName))")
    }
  }
}

/// The triggers of a content table that update a full-text table.
struct FullTextTriggers {
  let table: String
  let contentTable: String
  let columns: [String]

  /// Whether existing triggers are kept.
  let isTolerant: Bool

  static func name(_ suffix: String, of table: String) -> String { "__\(table)_\(suffix)".quotedDatabaseIdentifier }

  /// FTS4 removes a row from the index by reading the content table: before the content changes.
  func fts4(rowID: ContentRowID) -> [String] {
    let key = rowID.column.quotedDatabaseIdentifier
    let delete = "DELETE FROM \(index) WHERE docid=old.\(key);"
    let insert = "INSERT INTO \(index)(\(list(["docid"] + columns))) VALUES(\(values("new", key)));"
    return [
      trigger("bu", "BEFORE UPDATE", [delete]), trigger("bd", "BEFORE DELETE", [delete]),
      trigger("au", "AFTER UPDATE", [insert]), trigger("ai", "AFTER INSERT", [insert]),
    ]
  }

  /// FTS5 is passed the removed texts.
  func fts5(rowID: ContentRowID) -> [String] {
    let key = rowID.column.quotedDatabaseIdentifier
    let delete =
      "INSERT INTO \(index)(\(list([table, "rowid"] + columns))) VALUES('delete', \(values("old", key)));"
    let insert = "INSERT INTO \(index)(\(list(["rowid"] + columns))) VALUES (\(values("new", key)));"
    return [
      trigger("ai", "AFTER INSERT", [insert]), trigger("ad", "AFTER DELETE", [delete]),
      trigger("au", "AFTER UPDATE", [delete, insert]),
    ]
  }

  private var index: String { table.quotedDatabaseIdentifier }

  private func list(_ names: [String]) -> String { names.map(\.quotedDatabaseIdentifier).joined(separator: ", ") }

  private func values(_ row: String, _ key: String) -> String {
    ([key] + columns.map(\.quotedDatabaseIdentifier)).map { "\(row).\($0)" }.joined(separator: ", ")
  }

  private func trigger(_ suffix: String, _ event: String, _ statements: [String]) -> String {
    let body = statements.map { "    \($0)\n" }.joined()
    let condition = isTolerant ? "IF NOT EXISTS " : ""
    let name = Self.name(suffix, of: table)
    return "CREATE TRIGGER \(condition)\(name) \(event) ON \(contentTable.quotedDatabaseIdentifier) BEGIN\n\(body)END"
  }
}
