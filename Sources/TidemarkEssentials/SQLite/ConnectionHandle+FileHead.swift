import CSQLite

// The state of the database file as a connection sees it, without another file descriptor.

/// The fields of the file header that change with each commit into the file.
struct DatabaseFileHead: Equatable, Sendable {
  private let words: SIMD4<UInt64>

  /// Whether commits are written to a write-ahead log, and not to the file.
  let usesLog: Bool

  /// The number of commits into the file, in a journal mode without a log.
  var changeCounter: UInt32 { UInt32(bigEndian: UInt32(truncatingIfNeeded: words[1])) }

  /// - Parameter bytes: The bytes 16 to 39 of the file: versions, change counter, number of pages, free list.
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
    words = SIMD4(word(0), word(1), word(2), 0)
    usesLog = bytes[2] == 2 && bytes[3] == 2
  }
}

extension ConnectionHandle {
  /// The file header of the main database; nil if it cannot be read. The values are only certain to be committed under
  /// a lock: a write in progress may be rolled back. C: the `xRead` of the file.
  var fileHead: DatabaseFileHead? { fileHead(of: "main") }

  /// Whether the file of the main database has no content yet. C: the `xFileSize` of the file.
  var isFileEmpty: Bool {
    var file: UnsafeMutablePointer<sqlite3_file>?
    var size: sqlite3_int64 = 0
    guard sqlite3_file_control(pointer, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, let fileSize = methods.pointee.xFileSize,
      fileSize(file, &size) == SQLITE_OK
    else { return false }
    return size == 0
  }

  /// The file header of another database of the connection.
  func fileHead(of name: String) -> DatabaseFileHead? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(pointer, name, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, let read = methods.pointee.xRead
    else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { bytes in
      guard read(file, bytes.baseAddress, 24, 16) == SQLITE_OK else { return nil }
      return DatabaseFileHead(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Returns the first column of the first row of a query, on a connection without other uses. C: `sqlite3_prepare_v2`.
  ///
  /// - Throws: An error of code `SQLITE_BUSY` if another connection holds the lock.
  func integer(_ sql: String) throws -> Int64 {
    guard let integer = try firstInteger(sql) else { throw DatabaseError(code: SQLITE_DONE, connection: pointer) }
    return integer
  }

  /// Returns the integer of the first row; nil without a row.
  func firstInteger(_ sql: String) throws -> Int64? {
    var statement: SQLiteStatement?
    try check(sqlite3_prepare_v2(pointer, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    if code == SQLITE_DONE { return nil }
    guard code == SQLITE_ROW else { throw DatabaseError(code: code, connection: pointer) }
    return sqlite3_column_int64(statement, 0)
  }

  /// Returns the texts of the first column of all rows.
  func texts(_ sql: String) throws -> [String] {
    var statement: SQLiteStatement?
    try check(sqlite3_prepare_v2(pointer, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    var code = sqlite3_step(statement)
    while code == SQLITE_ROW {
      if let text = statement.flatMap({ columnText($0, 0) }) { texts.append(text) }
      code = sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw DatabaseError(code: code, connection: pointer) }
    return texts
  }
}
