import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A digest of all results of statements: equal digests mean equal rows, except with a probability
/// of one in 2¹²⁸.
///
/// The result of a closure is determined by the rows that it reads, in their order: its next query depends on
/// the previous results. So the SQL is not part of the digest, but the names of columns are.
struct ResultDigest: Equatable, Sendable {
  private var low = seed.0
  private var high = seed.1

  // The seed is random, so that rows with a given digest cannot be constructed.
  private static let seed = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

  /// Each step is invertible: different words lead from one state to different ones.
  @inline(__always)
  mutating func add(_ word: UInt64) {
    low = (low ^ word) &* 0x9E37_79B9_7F4A_7C15
    low ^= low >> 32
    high = (high &+ word) &* 0xD6E8_FEB8_6659_FD93
    high ^= high >> 29
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    while start + 8 <= bytes.count {
      add(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      start += 8
    }
    var rest: UInt64 = 0
    for index in start..<bytes.count { rest = rest << 8 | UInt64(bytes[index]) }
    if start < bytes.count { add(rest) }
  }

  /// Adds a row, as it is stored. C: `sqlite3_column_blob` and its siblings.
  mutating func addRow(of statement: SQLiteStatement) {
    let count = sqlite3_data_count(statement)
    add(UInt64(count) << 8 | 0xFF)
    for column in 0..<count {
      let kind = sqlite3_column_type(statement, column)
      switch kind {
      case SQLITE_INTEGER:
        add(UInt64(kind))
        add(UInt64(bitPattern: sqlite3_column_int64(statement, column)))
      case SQLITE_FLOAT:
        add(UInt64(kind))
        add(sqlite3_column_double(statement, column).bitPattern)
      case SQLITE_NULL:
        add(UInt64(kind))
      default:
        // As bytes, so that SQLite converts nothing.
        let bytes = sqlite3_column_blob(statement, column)
        let length = Int(sqlite3_column_bytes(statement, column))
        add(UInt64(kind) | UInt64(length) << 8)
        if let bytes { add(UnsafeRawBufferPointer(start: bytes, count: length)) }
      }
    }
  }

  /// A digest of the names of columns. C: `sqlite3_column_name`.
  static func ofNames(of statement: SQLiteStatement) -> UInt64 {
    var digest = ResultDigest()
    for column in 0..<sqlite3_column_count(statement) {
      guard let name = sqlite3_column_name(statement, column) else { continue }
      digest.add(UnsafeRawBufferPointer(start: name, count: strlen(name)))
      digest.addEnd()
    }
    return digest.low
  }

  /// Adds the end of the rows.
  mutating func addEnd() { add(0xFE) }
}

/// Computes the digest of a running closure, from the steps of its statements.
final class DigestObserver: StepObserver {
  private(set) var digest = ResultDigest()

  /// Whether a statement has returned a row or its end.
  private(set) var hasRows = false

  /// Whether the closure may depend on the database in other ways than by results of statements.
  var isUnknown = false

  /// Whether the closure has queried the schema.
  var dependsOnSchema = false

  /// Whether a run belongs to the digest. After a run that may change the database, the digest is unknown.
  func includesRun(of statement: Statement, isCaptured: Bool) -> Bool {
    // Statements of the library itself are not traced.
    if statement.database.callbacks.isTraceSuspended { return false }
    if isCaptured || statement.writes != nil || statement.mayEndTransaction { isUnknown = true }
    return !isUnknown
  }

  func didStep(_ statement: Statement, _ result: StepResult) {
    switch result {
    case .row(let number):
      if number == 1 { digest.add(statement.digestOfNames) }
      digest.addRow(of: statement.sqliteStatement)
    case .done(let rowCount):
      if rowCount == 0 { digest.add(statement.digestOfNames) }
      digest.addEnd()
    case .failed: return
    }
    hasRows = true
  }

  func add(schemaVersion: Int64) { digest.add(UInt64(bitPattern: schemaVersion)) }
}

extension Statement {
  /// The digest of the column names of the run. SQLite may have compiled the statement again.
  fileprivate var digestOfNames: UInt64 {
    let count = recompilationCountOfSQLite
    if let known = cached.digestOfNames, known.recompilationCount == count { return known.digest }
    let digest = ResultDigest.ofNames(of: sqliteStatement)
    cached.digestOfNames = (digest, count)
    return digest
  }
}

extension Database {
  /// Runs a closure, and returns the digest of the results of its statements; nil if the closure may depend on the
  /// database in other ways.
  func digesting<Result>(_ body: () throws -> Result) throws -> (result: Result, digest: ResultDigest?) {
    let outer = recording.digest
    let observer = DigestObserver()
    recording.digest = observer
    defer { recording.digest = outer }
    let result = try body()
    if !observer.hasRows || observer.isUnknown { return (result, nil) }
    if observer.dependsOnSchema {
      recording.digest = nil
      observer.add(schemaVersion: try mainSchemaVersion())
    }
    return (result, observer.digest)
  }

  /// The number that SQLite changes with each change of the main database's schema. C: `PRAGMA schema_version`.
  func mainSchemaVersion() throws -> Int64 { try schemaVersion("PRAGMA schema_version") }

  /// The same for the temporary database. C: `PRAGMA temp.schema_version`.
  func temporarySchemaVersion() throws -> Int64 { try schemaVersion("PRAGMA temp.schema_version") }

  private func schemaVersion(_ sql: String) throws -> Int64 {
    try untraced {
      let statement = try preparedStatement(sql: sql).availableStatement()
      try statement.start()
      defer { statement.finish() }
      return try statement.step() ? sqlite3_column_int64(statement.sqliteStatement, 0) : 0
    }
  }
}
