import CSQLite

/// SQL text that is compiled statement by statement, without copying the rest.
struct SQLSource {
  private let bytes: ContiguousArray<CChar>
  private var offset = 0

  /// - Throws: An error of code `SQLITE_MISUSE` if the text contains a NUL character, after which
  ///   SQLite would ignore everything.
  init(_ sql: String) throws {
    var bytes = ContiguousArray<CChar>()
    bytes.reserveCapacity(sql.utf8.count + 1)
    for byte in sql.utf8 { bytes.append(CChar(bitPattern: byte)) }
    guard !bytes.contains(0) else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "SQL contains a NUL character", sql: sql.trimmedSQLStatement)
    }
    bytes.append(0)
    self.bytes = bytes
  }

  /// The text that was not compiled yet.
  var rest: String { text(from: offset, to: bytes.count - 1) }

  /// Whether only whitespace, comments and semicolons are left.
  var isAtEnd: Bool { offset >= bytes.count - 1 || SQLTokenizer.isBlank(Substring(rest)) }

  /// Compiles the next statement; returns nil at the end.
  ///
  /// The result includes the text of the statement. A failure consumes nothing.
  ///
  /// C: `sqlite3_prepare_v3`.
  mutating func next(in database: Database, isPersistent: Bool) throws -> Compiled? {
    let handle = try database.openHandle()
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    if TokenizerFailure.mayExist { TokenizerFailure.discard() }
    while offset < bytes.count - 1 {
      if database.access.groupRole != .none { try checkGroupRole(of: database) }
      var pointer: SQLiteStatement?
      var code = SQLITE_OK
      var end = offset
      var (effects, writes) = bytes.withUnsafeBufferPointer { bytes in
        database.compilation.effects {
          guard let start = bytes.baseAddress else { return }
          var tail: UnsafePointer<CChar>?
          for _ in 0..<Self.attemptCountMax {
            code = sqlite3_prepare_v3(
              handle.pointer, start + offset, CInt(clamping: bytes.count - offset), flags, &pointer, &tail)
            if code != SQLITE_SCHEMA { break }
          }
          if let tail { end = tail - start }
        }
      }
      // SQLite may open a virtual table during the compilation. The authorizer sees the declaration of its columns as a
      // write to the schema table.
      if writes?.writesSchemaTable == true, writes?.schemaChanges.isEmpty == true, !handle.hasWritableSchema {
        writes?.writesSchemaTable = false
      }
      guard code == SQLITE_OK else {
        throw DatabaseError(code: code, connection: handle.pointer, sql: rest.trimmedSQLStatement)
          .explainingMissingFeature()
      }
      let sql = text(from: offset, to: end)
      offset = end
      // The pointer is null if only a comment, or nothing, precedes a semicolon.
      if let pointer {
        return Compiled(
          pointer: pointer, sql: sql.trimmedSQLStatement, effects: effects, writes: writes.map(StatementWrites.init))
      }
    }
    return nil
  }

  /// Checks whether the next statement may be compiled in the running write: many pragmas take effect during their
  /// compilation, so that they would affect the other writes of the group.
  private func checkGroupRole(of database: Database) throws {
    if database.callbacks.isTraceSuspended { return }
    let sql = rest
    var tokens = SQLTokenizer(sql)
    guard tokens.next() == .word, sql[tokens.range].asciiUppercased == "PRAGMA" else { return }
    try database.requireOwnTransaction()
  }

  /// SQLite itself compiles a statement only twice if another connection changes the schema each time. It repeats a
  /// statement that runs as often as this.
  private static let attemptCountMax = 50

  struct Compiled {
    var pointer: SQLiteStatement
    var sql: String
    var effects: StatementEffects
    var writes: StatementWrites?
  }

  private func text(from start: Int, to end: Int) -> String {
    bytes[start..<end].withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}
