import Foundation

@testable import TidemarkEssentials

/// The targets that decode changes.
let changeTargets: [FuzzTarget] = [
  FuzzTarget("changes", checkChanges),
  FuzzTarget("feed-tokens", maxLength: 128, checkToken),
  FuzzTarget("changesets", checkChangeset),
  FuzzTarget("sqlite-changesets", checkSQLiteChangeset),
]

/// Decodes bytes. Returns nil if they are refused.
private func decoded<Value>(_ decode: () throws -> Value) throws -> Value? {
  do {
    return try decode()
  } catch is TransactionChanges.DecodingError {
    return nil
  }
}

// MARK: - Transactions and tokens

/// Bytes that can be decoded are those that the changes are encoded as (`TransactionChanges`, invariant 1).
private func checkChanges(_ input: inout FuzzInput) throws {
  let bytes = input.rest()
  let changes = try decoded { try TransactionChanges(decoding: bytes) }
  let time = bytes.withUnsafeBytes { TransactionChanges.microsecondsSince1970(ofEncoded: $0) }
  let mayNotify = TransactionChanges.mayHaveNotifications(encoded: bytes)
  guard let changes else { return }
  try require(changes.encoded() == bytes, "\(bytes) is decoded as \(changes), which has other bytes")
  try require(time == changes.microsecondsSince1970, "the time of \(bytes) is \(time as Any)")
  try require(
    mayNotify == changes.elements.contains(where: \.isNotification), "the head of \(bytes) has a wrong flag")
  for row in changes.rows { _ = (row.description, row.oldRow?.description, row.newRow?.description) }
  _ = changes.description
}

/// A text that is a token is its only text.
private func checkToken(_ input: inout FuzzInput) throws {
  let text: String
  if input.bool() {
    text = input.restText()
  } else {
    let words = (0..<5).map { _ in input.bits() >> UInt64(input.choice(64)) }
    text = words.map { String($0, radix: 16) }.joined(separator: "-")
  }
  guard let token = ChangeToken(text) else { return }
  try require(token.description == text, "\(text.debugDescription) is the token \(token)")
  let json = try JSONEncoder().encode([token])
  try require(try JSONDecoder().decode([ChangeToken].self, from: json) == [token], "\(token) is encoded as \(json)")
  _ = token.version
}

// MARK: - Changesets

private let schema = """
  CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT, x, y TEXT UNIQUE, z INTEGER REFERENCES b(k));
  CREATE TABLE b (k TEXT PRIMARY KEY, v REAL) WITHOUT ROWID;
  CREATE TABLE c (x, y, PRIMARY KEY (y, x));
  CREATE TABLE d (x);
  CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = x WHERE id = new.id; END;
  INSERT INTO b VALUES ('p', 1.5), ('q', NULL);
  INSERT INTO a VALUES (1, 1, 'one', 'p'), (2, x'00', 'two', NULL);
  INSERT INTO c VALUES (1, 2), ('x', 'y');
  INSERT INTO d VALUES (1), ('t');
  """

private let database = Result {
  let dbQueue = try DatabaseQueue()
  try dbQueue.write { try $0.execute(sql: schema) }
  return dbQueue
}

/// A decoded changeset is encoded as the same bytes. Its operations end with an error or a result, and it is applied as
/// a whole or not at all.
private func checkChangeset(_ input: inout FuzzInput) throws {
  let policy = input.choice(3)
  let bytes = input.rest()
  guard let changes = try decoded({ try Changeset(decoding: bytes) }) else { return }
  try require(changes.encoded() == bytes, "\(bytes) is decoded as \(changes), which has other bytes")
  let net = changes.net
  // Changes around another description of a table, without a schema change between them, are not merged.
  let descriptions = Dictionary(grouping: changes.rows.map(\.table), by: \.key).values
  let isDescribedOnce = descriptions.allSatisfy { Set($0).count == 1 }
  try require(!isDescribedOnce || net.net == net, "the net changes of \(changes) have other net changes")
  _ = changes.description
  do {
    let inverse = try changes.inverted()
    try require(try decoded { try Changeset(decoding: inverse.encoded()) } == inverse, "\(inverse) has other bytes")
    _ = try changes.sqliteChangesetData()
  } catch is ChangesetError {
    // Schema changes have no inverse.
  }
  try checkApplying(changes, policy)
}

/// Applies changes to a database that all inputs share, and rolls them back.
private func checkApplying(_ changes: Changeset, _ policy: Int) throws {
  let resolution: ChangesetConflict.Resolution = [.abort, .skip, .replace][policy]
  try database.get().inDatabase { db in
    try db.inSavepoint {
      let before = try content(db)
      do {
        _ = try db.apply(changes, onConflict: resolution)
        _ = try content(db)
        try require(
          try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty, "\(changes) violates a foreign key")
      } catch let error where error is ChangesetConflict || error is ChangesetError || error is DatabaseError {
        try require(try content(db) == before, "\(changes) was applied in part before \(error)")
      }
      try require(db.isInsideTransaction, "\(changes) has ended the transaction")
      return .rollback
    }
  }
}

private func content(_ db: Database) throws -> [Row] {
  try ["a", "b", "c", "d", "sqlite_sequence"].flatMap { try Row.fetchAll(db, sql: "SELECT * FROM \($0)") }
}

/// A changeset of SQLite is refused, or read as changes that are written as a changeset of the same net changes.
private func checkSQLiteChangeset(_ input: inout FuzzInput) throws {
  let policy = input.choice(3)
  let bytes = input.rest()
  let queue = try database.get()
  guard let changes = try decoded({ try queue.inDatabase { db in try Changeset(sqliteChangeset: bytes, db) } }) else {
    return
  }
  let data = try changes.sqliteChangesetData()
  // If all changes are updates, the written tables lack the columns that no update has.
  if let again = try decoded({ try queue.inDatabase { db in try Changeset(sqliteChangeset: data, db) } }) {
    try require(
      try again.sqliteChangesetData() == data, "\(bytes) is written as \(Array(data)), and then as other bytes")
  }
  _ = try changes.inverted().net
  try require(try decoded { try Changeset(decoding: changes.encoded()) } == changes, "\(changes) has other bytes")
  try checkApplying(changes, policy)
}
