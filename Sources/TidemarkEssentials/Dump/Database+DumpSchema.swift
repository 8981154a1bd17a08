extension Database {
  /// Writes the SQL statements that created the tables, indexes, triggers and views of the database.
  ///
  /// ```swift
  /// // sqlite_master
  /// // CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
  /// // CREATE TABLE book(id INTEGER PRIMARY KEY, title TEXT, authorId INTEGER);
  /// // CREATE INDEX book_authorId ON book(authorId);
  /// try db.dumpSchema()
  /// ```
  ///
  /// Internal tables of SQLite and of the library are omitted, and so are the shadow tables of virtual tables.
  /// Temporary tables and attached databases are not written.
  ///
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if the schema cannot be read.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    var stream = DumpStream(stream)
    try dump(dumpedObjects(), to: &stream)
  }

  /// Writes the schema, and the rows of all tables.
  ///
  /// ```swift
  /// // sqlite_master
  /// // CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
  /// //
  /// // author
  /// // 7|Frank
  /// try db.dumpContent()
  /// ```
  ///
  /// The schema is written as by ``dumpSchema(to:)``. The tables follow in the order of their names, without views.
  ///
  /// - Parameter format: The text format of the rows.
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or an error of the format. The text of the rows before it is
  ///   written.
  public func dumpContent(format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil) throws {
    var stream = DumpStream(stream)
    let objects = try dumpedObjects()
    try dump(objects, to: &stream)
    stream.margin()
    let tables = objects.filter { $0.type == "table" }.map(\.name)
    try dump(tables, format, hasHeaders: true, isStable: true, to: &stream)
  }

  private func dump(_ objects: [SchemaObjects.Object], to stream: inout DumpStream) throws {
    stream.write("sqlite_master\n")
    for object in objects {
      if let sql = object.sql { stream.write("\(sql);\n") }
    }
  }

  /// The objects of the main database that are written, in order.
  private func dumpedObjects() throws -> [SchemaObjects.Object] {
    let shadowTables = try shadowTablesOfMainDatabase()
    return try freshCatalog().objects(in: .main, self).all
      .filter { object in
        !Self.isOwnedByLibrary(object.name)
          && !shadowTables.contains((object.type == "table" ? object.name : object.tableName).asciiLowercased)
      }
      .sorted { $0.dumpOrder.lexicographicallyPrecedes($1.dumpOrder) }
  }

  private static func isOwnedByLibrary(_ name: String) -> Bool {
    name.asciiLowercased.hasPrefix("sqlite_") || isGRDBInternalTable(name)
  }

  /// The names of the shadow tables, in lower case. Older versions of SQLite than 3.37 do not report them.
  private func shadowTablesOfMainDatabase() throws -> Set<String> {
    let shadows = try lookUp("PRAGMA main.table_list").filter { $0["type"] == "shadow" && $0["schema"] == "main" }
    return Set(shadows.map { ($0["name"] as String).asciiLowercased })
  }
}

extension SchemaObjects.Object {
  /// The position in a dump: by table; tables, indexes and other objects; by name.
  fileprivate var dumpOrder: [String] {
    let rank =
      switch type {
      case "table": "0"
      case "index": "1"
      default: "2\(type)"
      }
    return [tableName.asciiLowercased, rank, name]
  }
}
