// Writing the rows of statements and requests as text, for debugging and tests.

extension Database {
  /// Writes the rows of SQL statements as text.
  ///
  /// ```swift
  /// // 1|Arthur
  /// // 2|Barbara
  /// try db.dumpSQL("SELECT id, name FROM player WHERE score > \(100)")
  /// ```
  ///
  /// All statements are executed, including those that change the database.
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
    var stream = DumpStream(stream)
    let statements = try allStatements(literal: sql)
    while let statement = try statements.next() {
      try dump(RowCursor(statement, arguments: nil, adapter: nil), format, to: &stream)
    }
  }

  /// Writes the rows of a request as text.
  ///
  /// ```swift
  /// // 1|Arthur|1000
  /// // 2|Barbara|500
  /// try db.dumpRequest(Player.all())
  /// ```
  ///
  /// All columns are written, as SQLite returns them: row adapters are ignored. If the request prefetches associated
  /// rows (`including(all:)`), their rows follow:
  ///
  /// ```swift
  /// // 7|Frank
  /// //
  /// // books
  /// // 1|Dune|7
  /// try db.dumpRequest(Author.including(all: Author.books))
  /// ```
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
    var stream = DumpStream(stream)
    try dump(request, format, to: &stream)
  }

  /// Writes the rows of a request, and the rows that complete them.
  func dump(_ request: some FetchRequest, _ format: some DumpFormat, to stream: inout DumpStream) throws {
    let prepared = try request.makePreparedRequest(self)
    let cursor = try prepared.makeCursorOfIncompleteRows()
    guard let supplementaryFetch = prepared.supplementaryFetch else { return try dump(cursor, format, to: &stream) }
    var stored: StoredRows?
    try dump(cursor, format, to: &stream) { row in
      let rows = stored ?? StoredRows(like: row)
      try rows.append(row)
      stored = rows
    }
    try prepared.recordSupplementaryRegion()
    guard let rows = stored else { return }
    var title: [String]?
    for supplement in try supplementaryFetch.requests(for: rows, self) {
      // Many rows of a request are completed by several requests with the same keys.
      if supplement.keys != title {
        title = supplement.keys
        stream.margin()
        stream.write(supplement.keys.joined(separator: ".") + "\n")
      }
      try dump(supplement.request, format, to: &stream)
    }
  }

  /// Writes the rows of a cursor.
  ///
  /// - Parameter body: Called with each row, in the state in which the cursor returns it.
  private func dump(
    _ cursor: RowCursor, _ format: some DumpFormat, to stream: inout DumpStream,
    each body: (Row) throws -> Void = { _ in }
  ) throws {
    // Each statement is written with its own copy of the format, because formats have a state.
    var format = format
    while let row = try cursor.next() {
      try format.writeRow(self, statement: cursor.statement, to: &stream)
      // Formats cannot report this.
      if let error = cursor.statement.outOfMemoryError() { throw error }
      try body(row)
    }
    format.finalize(self, statement: cursor.statement, to: &stream)
  }
}
