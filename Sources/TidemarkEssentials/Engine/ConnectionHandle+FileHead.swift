import CSQLite

// What a connection sees of the commits of others, without a descriptor of ours on a file.

/// What the file of a database says of its state: as long as it says the same, nobody has committed into the file.
struct DatabaseFileHead: Equatable, Sendable {
  private let words: SIMD4<UInt64>

  /// Whether commits go into a write-ahead log, and not into the file.
  let usesLog: Bool

  /// - parameter bytes: Those of the file from the 16th to the 39th: versions, counter of changes, number of pages,
  ///   list of free ones.
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    func word(_ index: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self) }
    words = SIMD4(word(0), word(1), word(2), 0)
    usesLog = bytes[2] == 2 && bytes[3] == 2
  }
}

extension ConnectionHandle {
  /// What the file of the main database says of its state. What is being written may be undone: only under a lock is it
  /// what was committed. Nil when it cannot be told. C: the `xRead` of the file.
  var fileHead: DatabaseFileHead? { fileHead(of: "main") }

  /// The same of another database of the connection.
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

  /// The first column of the one row of a question, on a connection that has no other use. C: `sqlite3_prepare_v2`.
  ///
  /// - throws: An error of code `SQLITE_BUSY` when somebody has the lock.
  func integer(_ sql: String) throws -> Int64 {
    var statement: SQLiteStatement?
    try check(sqlite3_prepare_v2(pointer, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw DatabaseError(code: code, connection: pointer) }
    return sqlite3_column_int64(statement, 0)
  }
}
