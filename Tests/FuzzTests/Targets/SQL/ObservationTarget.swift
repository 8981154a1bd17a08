import Foundation

@testable import TidemarkEssentials

/// If a change changes the result of a query, an observation of the region of the query reports it.
func checkObservation(_ input: inout FuzzInput) throws {
  let change = input.element(of: changes)
  let sql = input.sql()
  guard isDeterministicQuery(sql) else { return }
  // Most texts are not queries.
  guard let query = try compiler.get().compile(sql), query.isReadOnly, !query.isBlank, query.parameterCount == 0 else {
    return
  }
  let dbQueue = try DatabaseQueue(configuration: FuzzInput.limitedConfiguration)
  try dbQueue.write { try $0.execute(sql: FuzzInput.schema) }
  let request = SQLRequest<Row>(sql: sql)
  let counter = Counter()
  do {
    let before = try dbQueue.read { try Row.fetchAll($0, request).map(\.description) }
    let observer = DatabaseRegionObservation(tracking: request).start(in: dbQueue) { _ in
      counter.count += 1
    } onChange: { _ in
      counter.count += 1
    }
    defer { observer.cancel() }
    try dbQueue.write { try $0.execute(sql: change) }
    let after = try dbQueue.read { try Row.fetchAll($0, request).map(\.description) }
    try require(
      before == after || counter.count > 0, "\(change) changes the result of \(sql.debugDescription), unnoticed")
  } catch is DatabaseError {
    // The query is not executed, or takes too long.
  }
}

/// The observation of one thread notifies it in that thread.
private final class Counter: @unchecked Sendable {
  var count = 0
}

private let compiler = Result { try BareSQLite(FuzzInput.schema) }

private func isDeterministicQuery(_ sql: String) -> Bool {
  var tokens = SQLTokenizer(sql)
  guard tokens.next() == .word, ["select", "with", "values"].contains(sql[tokens.range].lowercased()) else {
    return false
  }
  let text = sql.lowercased()
  let words = [
    "random", "changes", "last_insert", "current_", "now", "pragma", "explain", "sqlite_", "date", "time", "julian",
  ]
  return !words.contains { text.contains($0) } && !text.utf8.contains(0)
}

private let changes = [
  "INSERT INTO a VALUES (4, 1, 'p', 1)", "INSERT INTO a VALUES (-1, NULL, NULL, NULL)",
  "INSERT INTO a VALUES (5, 'two', 'Q', 2)", "UPDATE a SET x = 2 WHERE id = 1", "UPDATE a SET x = NULL WHERE id = 2",
  "UPDATE a SET y = 'r' WHERE id = 3", "UPDATE a SET y = 'P' WHERE id = 1", "UPDATE a SET z = 2 WHERE id = 1",
  "UPDATE a SET id = 9 WHERE id = 1", "DELETE FROM a WHERE id = 1", "DELETE FROM a WHERE id = 3", "DELETE FROM a",
  "INSERT INTO b VALUES (3, 1, 2.5)", "UPDATE b SET w = 3 WHERE id = 1", "UPDATE b SET x = 5 WHERE id = 2",
  "DELETE FROM b WHERE id = 2", "UPDATE b SET id = 1 - id", "INSERT INTO c VALUES ('r', 3)",
  "UPDATE c SET k = 'z' WHERE k = 'p'", "UPDATE c SET x = 2 WHERE k = 'p'", "DELETE FROM c WHERE k = 'q'",
  "INSERT OR REPLACE INTO c VALUES ('p', 7)", "UPDATE \"d e\" SET \"f g\" = 3", "DELETE FROM \"d e\"",
  "INSERT INTO \"d e\" VALUES (2, 1)", "UPDATE a SET x = b.x + 10 FROM b WHERE b.id = a.id",
  "ALTER TABLE a RENAME COLUMN x TO n", "DROP TABLE c", "ALTER TABLE b ADD COLUMN n DEFAULT 5",
]
