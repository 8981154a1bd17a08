// The methods of `Database`, in an access of their own. Inside an access of the database, they use its connection.

extension DatabaseReader {
  /// Writes the rows of SQL statements as text.
  ///
  /// ```swift
  /// // 1|Arthur
  /// // 2|Barbara
  /// try dbQueue.dumpSQL("SELECT id, name FROM player WHERE score > \(100)")
  /// ```
  ///
  /// All statements are executed, including those that change the database. A pool and a snapshot refuse these. Other
  /// connections may commit between two statements. The method can be called inside an access of the database.
  ///
  /// - Parameter sql: One or several statements. Interpolated values become arguments.
  /// - Parameter format: The text format.
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or an error of the format. The text of the rows before it is
  ///   written.
  public func dumpSQL(
    _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { try $0.dumpSQL(sql, format: format, to: stream) }
  }

  /// Writes the rows of a request as text.
  ///
  /// ```swift
  /// // 1|Arthur|1000
  /// // 2|Barbara|500
  /// try dbQueue.dumpRequest(Player.all())
  /// ```
  ///
  /// See ``Database/dumpRequest(_:format:to:)``. The method can be called inside an access of the database.
  ///
  /// - Parameter request: The request.
  /// - Parameter format: The text format.
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if the request cannot be prepared or SQLite fails, or an error of the format. The
  ///   text of the rows before it is written.
  public func dumpRequest(
    _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead { try $0.dumpRequest(request, format: format, to: stream) }
  }

  /// Writes the rows of tables and views as text.
  ///
  /// ```swift
  /// // author
  /// // 7|Frank
  /// //
  /// // book
  /// // 1|Dune|7
  /// try dbQueue.dumpTables(["author", "book"])
  /// ```
  ///
  /// See ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)``. The method can be called inside an access of
  /// the database. Other connections may commit between two tables.
  ///
  /// - Parameter tables: The names of tables and views. Names are case-insensitive.
  /// - Parameter format: The text format.
  /// - Parameter tableHeader: When the name of a table precedes its rows.
  /// - Parameter stableOrder: Whether the rows of a view are ordered by all its columns, so that two dumps of the same
  ///   rows are equal.
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if a table does not exist or SQLite fails, or an error of the format. The text of
  ///   the rows before it is written.
  public func dumpTables(
    _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
    stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
  ) throws {
    try unsafeReentrantRead {
      try $0.dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
    }
  }

  /// Writes the SQL statements that created the tables, indexes, triggers and views of the database.
  ///
  /// ```swift
  /// // sqlite_master
  /// // CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
  /// try dbQueue.dumpSchema()
  /// ```
  ///
  /// See ``Database/dumpSchema(to:)``. The method can be called inside an access of the database.
  ///
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if the schema cannot be read.
  public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
    try unsafeReentrantRead { try $0.dumpSchema(to: stream) }
  }

  /// Writes the schema, and the rows of all tables.
  ///
  /// ```swift
  /// // sqlite_master
  /// // CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT);
  /// //
  /// // author
  /// // 7|Frank
  /// try dbQueue.dumpContent()
  /// ```
  ///
  /// See ``Database/dumpContent(format:to:)``. The method can be called inside an access of the database. Other
  /// connections may commit between two tables.
  ///
  /// - Parameter format: The text format of the rows.
  /// - Parameter stream: The stream to write to, or nil for the standard output. It should be an object, because a copy
  ///   of a structure would be written.
  /// - Throws: A ``DatabaseError`` if SQLite fails, or an error of the format. The text of the rows before it is
  ///   written.
  public func dumpContent(format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil) throws {
    try unsafeReentrantRead { try $0.dumpContent(format: format, to: stream) }
  }
}
