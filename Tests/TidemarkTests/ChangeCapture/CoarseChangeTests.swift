import Testing

import Tidemark
@testable import TidemarkEssentials

/// The changes that were captured of a table before too many of its rows change, or after, are reported with the rest.
@Suite struct CoarseChangeTests {
  private static let schema = """
    CREATE TABLE a (id INTEGER PRIMARY KEY, n INT, r INT);
    CREATE TABLE b (id INTEGER PRIMARY KEY);
    INSERT INTO a VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 4, 4);
    """

  /// No more than two rows of a transaction are captured.
  private static let needs = CaptureNeeds(
    tables: [TableKey("a"): .init(columns: nil, values: nil, rows: true, rowCountMax: 2), TableKey("b"): .all])

  // swift-format-ignore
  @Test(arguments: [
    ("INSERT INTO a VALUES (9, 9, 1); UPDATE a SET r = 5", "a: insert update(r)"),
    ("DELETE FROM a WHERE id = 1; UPDATE a SET r = 5", "a: delete update(r)"),
    ("UPDATE a SET n = 7 WHERE id = 1; UPDATE a SET r = 5", "a: update(n,r)"),
    ("UPDATE a SET id = 9 WHERE id = 1; UPDATE a SET r = 5", "a: update(id,r)"),
    ("REPLACE INTO a VALUES (1, 9, 9); UPDATE a SET r = 5", "a: insert delete update(r)"),
    ("UPDATE a SET n = 7 WHERE id = 1; DELETE FROM a", "a: delete update(n)"),
    ("INSERT INTO a VALUES (9, 9, 1); INSERT INTO b VALUES (1); UPDATE a SET r = 5", "a: insert update(r); b: 1 rows"),
    ("SAVEPOINT s; INSERT INTO a VALUES (9, 9, 1); RELEASE s; UPDATE a SET r = 5", "a: insert update(r)"),
    ("SAVEPOINT s; INSERT INTO a VALUES (9, 9, 1); ROLLBACK TO s; UPDATE a SET r = 5", "a: update(r)"),
    ("INSERT INTO a VALUES (9, 9, 1); SAVEPOINT s; UPDATE a SET r = 5; ROLLBACK TO s", "a: 1 rows"),
    ("INSERT INTO a VALUES (9, 9, 1); SAVEPOINT s; UPDATE a SET r = 5; RELEASE s", "a: insert update(r)"),
    ("SAVEPOINT s; UPDATE a SET r = 5; ROLLBACK TO s; DELETE FROM a WHERE id = 1; UPDATE a SET n = 5", "a: delete update(n)"),
  ])
  func changesBeforeALargeChangeAreReported(transaction: String, expected: String) throws {
    let (dbQueue, recorder) = try captured(Self.schema, Self.needs)
    try dbQueue.write { try $0.execute(sql: transaction) }
    #expect(recorder.take().map(\.words) == [expected])
  }

  @Test func transactionsMayHaveVeryManyStatements() throws {
    let needs = CaptureNeeds(tables: [TableKey("a"): .all, TableKey("b"): .all])
    let (dbQueue, recorder) = try captured(Self.schema, needs)
    // Each text is a statement of its own.
    let count = Int(UInt16.max) + 3
    try dbQueue.write { db in
      for number in 0..<count { try db.execute(sql: "UPDATE a SET n = \(10 + number) WHERE id = 1") }
      try db.execute(sql: "INSERT INTO b VALUES (1)")
      try db.execute(sql: "DELETE FROM a WHERE id = 2")
    }
    let changes = try #require(recorder.take().first)
    #expect(changes.words == "a: \(count + 1) rows; b: 1 rows")
    #expect(changes.rows.suffix(2).map(\.words) == ["insert b #1(id=1)", "delete a #2(id=2 n=2 r=2)"])
  }
}

extension CommittedChanges {
  /// The tables in order, with their kinds of changes and columns, or how many rows are reported.
  fileprivate var words: String {
    tables.map(\.words).sorted().joined(separator: "; ")
  }
}

extension CommittedChanges.TableChanges {
  fileprivate var words: String {
    if !isCoarse { return "\(key): \(rowIndexes.count) rows" }
    var kinds: [String] = []
    if inserts { kinds.append("insert") }
    if deletes { kinds.append("delete") }
    if updates { kinds.append("update(\(updatedColumns?.sorted().joined(separator: ",") ?? "?"))") }
    return "\(key): \(kinds.joined(separator: " "))"
  }
}
