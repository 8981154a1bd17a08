// The tables of the change feed, in the main database:
//
//     tidemark_feed            the entries: one row for each transaction, or for each part of a large one
//     tidemark_feed_history    one row: what identifies the feed
//     tidemark_feed_consumer   the positions of named consumers
//
// Invariants:
// 1. The feed has at least one entry. The first one that was ever written says that anything may have changed before.
// 2. The numbers of the rows have no gap, except between the parts of a transaction and the next one. The digest of a
//    row follows from the digest of its predecessor, its number and its changes.
// 3. Changes of these tables are not captured.

/// A row of the feed, without its changes.
struct ChangeFeedRow {
  var id: FeedID
  var digest: ChangeDigest

  /// The number of bytes of changes in all rows up to this one, including removed ones.
  var byteCount: Int64
  var origin: CommitOrigin

  static let headerByteCount = 24 + CommitOrigin.byteCount

  init(id: FeedID, digest: ChangeDigest, byteCount: Int64, origin: CommitOrigin) {
    (self.id, self.digest, self.byteCount, self.origin) = (id, digest, byteCount, origin)
  }

  /// Nil if the row is malformed.
  init?(number: Int64, header: UnsafeRawBufferPointer) {
    guard let id = FeedID(number: number), header.count == Self.headerByteCount,
      let origin = CommitOrigin(UnsafeRawBufferPointer(rebasing: header[24...]))
    else { return nil }
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: header.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    guard word(16) < 1 << 60 else { return nil }
    self.init(
      id: id, digest: ChangeDigest(low: word(0), high: word(8)), byteCount: Int64(word(16)), origin: origin)
  }

  /// The error about a malformed row.
  static func damaged(_ number: Int64) -> ChangeFeedError {
    .damaged(DatabaseVersion(FeedID(number: number)?.version ?? 0))
  }

  /// Calls a closure with the stored form of the row, without its number and changes.
  func withHeader<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withUnsafeTemporaryAllocation(byteCount: Self.headerByteCount, alignment: 8) { header in
      header.storeBytes(of: digest.low.littleEndian, as: UInt64.self)
      header.storeBytes(of: digest.high.littleEndian, toByteOffset: 8, as: UInt64.self)
      header.storeBytes(of: byteCount.littleEndian, toByteOffset: 16, as: Int64.self)
      origin.store(in: UnsafeMutableRawBufferPointer(rebasing: header[24...]))
      return try body(UnsafeRawBufferPointer(header))
    }
  }

  /// The row after this one.
  func next(_ id: FeedID, _ changes: UnsafeRawBufferPointer, origin: CommitOrigin) -> ChangeFeedRow {
    ChangeFeedRow(
      id: id, digest: ChangeDigest(after: digest, number: UInt64(id.number), changes),
      byteCount: byteCount + Int64(changes.count), origin: origin)
  }
}

/// The statements on the feed's tables that a connection has compiled.
final class ChangeFeedTables: DatabaseModuleState {
  @exclusivity(unchecked) private var statements: [DirectStatement?] = []

  init() {}

  func forgetStatements() { statements = [] }

  /// The statements that are compiled once.
  private enum Query: Int, CaseIterable {
    case history, last, first, next, row, firstPosition, insertion, replacement, removal

    var sql: String {
      let table = "main.\(entries)"
      return switch self {
      case .history: "SELECT history FROM main.\(ChangeFeedTables.history)"
      case .last: "SELECT id, header FROM \(table) ORDER BY id DESC LIMIT 1"
      case .first: "SELECT id, header FROM \(table) ORDER BY id LIMIT 1"
      case .next: "SELECT id, header, changes FROM \(table) WHERE id > ? ORDER BY id"
      case .row: "SELECT header FROM \(table) WHERE id = ?"
      case .firstPosition: "SELECT id FROM main.\(consumers) ORDER BY id LIMIT 1"
      case .insertion: "INSERT INTO \(table) VALUES (?, ?, ?)"
      case .replacement: "UPDATE \(table) SET header = ? WHERE id = ?"
      case .removal: "DELETE FROM \(table) WHERE id BETWEEN ? AND ?"
      }
    }
  }

  static let entries = CaptureNeeds.feedTablePrefix
  static let history = entries + "_history"
  static let consumers = entries + "_consumer"

  private static let creation = [
    "CREATE TABLE main.\(entries) (id INTEGER PRIMARY KEY, header BLOB NOT NULL, changes BLOB NOT NULL)",
    "CREATE TABLE main.\(history) (history BLOB NOT NULL)",
    "CREATE TABLE main.\(consumers) (name TEXT NOT NULL PRIMARY KEY, id INTEGER NOT NULL, digest BLOB NOT NULL)",
  ]

  private func statement(_ query: Query, _ db: Database) throws -> DirectStatement {
    if query.rawValue < statements.count, let known = statements[query.rawValue] { return known }
    let statement = try DirectStatement(query.sql, on: db)
    if statements.isEmpty { statements = Array(repeating: nil, count: Query.allCases.count) }
    statements[query.rawValue] = statement
    return statement
  }

  // MARK: - Existence

  /// Whether the connection has the tables. If its schema is older than the feed, SQLite reads the schema again.
  static func exist(_ db: Database) throws -> Bool {
    if db.handle?.hasTable(entries, in: "main") == true { return true }
    let statement = try DirectStatement("SELECT 1 FROM main.sqlite_master LIMIT 1", on: db)
    _ = try statement.step()
    statement.reset()
    return db.handle?.hasTable(entries, in: "main") == true
  }

  /// Returns nil if the tables do not exist, also if another connection has removed them.
  private func ifTheyExist<Result>(_ db: Database, _ body: () throws -> Result?) throws -> Result? {
    guard try Self.exist(db) else { return nil }
    do {
      return try body()
    } catch DatabaseError.SQLITE_ERROR where db.handle?.hasTable(Self.entries, in: "main") == false {
      return nil
    }
  }

  /// Creates the tables, with a new history.
  func create(_ db: Database) throws {
    for sql in Self.creation {
      let statement = try DirectStatement(sql, on: db)
      defer { statement.reset() }
      _ = try statement.step()
    }
    db.schema.effectCount &+= 1
    let insertion = try DirectStatement("INSERT INTO main.\(Self.history) VALUES (?)", on: db)
    try ChangeDigest.random().withBytes { bytes in
      try insertion.bind(bytes, at: 1)
      defer { insertion.reset() }
      _ = try insertion.step()
    }
  }

  // MARK: - Reading

  /// What identifies the feed; nil without a feed.
  func history(_ db: Database) throws -> ChangeDigest? {
    try ifTheyExist(db) {
      let statement = try statement(.history, db)
      defer { statement.reset() }
      return try statement.step() ? ChangeDigest(statement.bytes(0)) : nil
    }
  }

  /// The last row; nil without a feed.
  func last(_ db: Database) throws -> ChangeFeedRow? {
    try ifTheyExist(db) { try row(.last, db) }
  }

  /// The first row that was not removed; nil without a feed.
  func first(_ db: Database) throws -> ChangeFeedRow? {
    try ifTheyExist(db) { try row(.first, db) }
  }

  /// The first row of the first transaction of which nothing was removed; nil without a feed.
  func firstTransaction(_ db: Database) throws -> FeedID? {
    guard let first = try first(db) else { return nil }
    // The parts of a transaction are removed one by one. The last transaction is whole.
    return first.id.part == 0 ? first.id : first.id.next
  }

  private func row(_ query: Query, _ db: Database) throws -> ChangeFeedRow? {
    let statement = try statement(query, db)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    guard let row = ChangeFeedRow(number: statement.integer(0), header: statement.bytes(1)) else {
      throw ChangeFeedRow.damaged(statement.integer(0))
    }
    return row
  }

  /// Calls a closure with the rows after a position, until it returns false.
  func forEachRow(
    after id: FeedID, _ db: Database, _ body: (ChangeFeedRow, UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let statement = try statement(.next, db)
    try statement.bind(id.number, at: 1)
    defer { statement.reset() }
    while try statement.step() {
      guard let row = ChangeFeedRow(number: statement.integer(0), header: statement.bytes(1)) else {
        throw ChangeFeedRow.damaged(statement.integer(0))
      }
      if try !body(row, statement.bytes(2)) { return }
    }
  }

  /// Returns the row with a number.
  func row(_ id: FeedID, _ db: Database) throws -> ChangeFeedRow? {
    let statement = try statement(.row, db)
    try statement.bind(id.number, at: 1)
    defer { statement.reset() }
    return try statement.step() ? ChangeFeedRow(number: id.number, header: statement.bytes(0)) : nil
  }

  /// The first position of all named consumers; nil without consumers.
  func firstPosition(_ db: Database) throws -> FeedID? {
    let statement = try statement(.firstPosition, db)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    // A consumer with a malformed position keeps everything.
    return FeedID(number: statement.integer(0)) ?? FeedID.none
  }

  // MARK: - Writing

  func insert(_ row: ChangeFeedRow, _ changes: UnsafeRawBufferPointer, _ db: Database) throws {
    let statement = try statement(.insertion, db)
    try row.withHeader { header in
      try statement.bind(row.id.number, at: 1)
      try statement.bind(header, at: 2)
      try statement.bind(changes, at: 3)
      defer { statement.reset() }
      _ = try statement.step()
    }
  }

  /// Replaces what a row contains besides its changes.
  func update(_ row: ChangeFeedRow, _ db: Database) throws {
    let statement = try statement(.replacement, db)
    try row.withHeader { header in
      try statement.bind(header, at: 1)
      try statement.bind(row.id.number, at: 2)
      defer { statement.reset() }
      _ = try statement.step()
    }
  }

  /// Removes the rows in a range of numbers.
  func remove(_ ids: ClosedRange<FeedID>, _ db: Database) throws {
    let statement = try statement(.removal, db)
    try statement.bind(ids.lowerBound.number, at: 1)
    try statement.bind(ids.upperBound.number, at: 2)
    defer { statement.reset() }
    _ = try statement.step()
  }
}

extension ChangeDigest {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(
      low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    var words = (low.littleEndian, high.littleEndian)
    return try withUnsafeBytes(of: &words) { try body($0) }
  }
}
