import TestSupport
import Testing

@testable import Tidemark
@testable import TidemarkEssentials

/// Applied differences yield the fetched result while results grow and shrink, so that some changes are fetched row by
/// row, and others as a whole.
@Suite struct FetchChoiceOracleTests {
  private struct Item: Equatable, Identifiable, FetchableRecord, Sendable {
    var id: Int
    var text: String

    init(row: Row) {
      id = row["id"]
      text = row.map { "\($0) \($1)" }.joined(separator: ", ")
    }
  }

  private static let requests = [
    "SELECT * FROM item ORDER BY n, id", "SELECT id, name FROM item WHERE n % 3 = 0",
    "SELECT id, n FROM item ORDER BY name DESC, n",
  ]

  /// - Returns: Whether each list became the result, and the numbers of fetches.
  private func follow(
    _ sql: String, in home: RequestDatabase, _ generator: inout SeededRandom, roundCount: Int,
    corrupting corrupt: @escaping @Sendable ([Item]) -> [Item] = { $0 }
  ) throws -> (isEqual: Bool, counts: RequestFetchCounts) {
    let folder = try TemporaryFolder()
    let writer = try home.open(folder.path("db"))
    try writer.write { try $0.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER, name TEXT)") }
    let request = SQLRequest<Item>(sql: sql)
    let (counts, lists) = (Locked(RequestFetchCounts()), Deliveries<[Item]>())
    let cancellable = request.differences(counts: counts, corrupting: corrupt)
      .start(in: writer, scheduling: Inline(), onError: { lists.fail($0) }) { difference in
        lists.append(applying: difference)
      }
    defer { cancellable.cancel() }
    for round in 0..<roundCount {
      let statements = (0..<Int.random(in: 1...3, using: &generator)).map { _ in generator.change() }
      try writer.write { db in
        for statement in statements { try db.execute(sql: statement) }
        // The last row of each round shows that the round has been fetched.
        try db.execute(sql: "INSERT OR REPLACE INTO item VALUES (0, \(3 * round), 'round \(round)')")
      }
      let expected = try writer.read { try request.fetchAll($0) }
      try lists.wait { $0.last?.first { $0.id == 0 } == expected.first { $0.id == 0 } }
      if lists.values.last != expected { return (false, counts.value) }
    }
    return (true, counts.value)
  }

  @Test(arguments: RequestDatabase.allCases, requests)
  func listsMatchFetchedResultsOfAnyLength(_ home: RequestDatabase, _ sql: String) throws {
    var generator = SeededRandom(function: "listsMatchFetchedResultsOfAnyLength(\(home), \(sql))")
    let (isEqual, counts) = try follow(sql, in: home, &generator, roundCount: 60)
    #expect(isEqual)
    #expect(counts.rows > 0 && counts.wholeResults > 1)
  }

  /// A control: single-row fetches that miss rows are detected.
  @Test(arguments: requests)
  func missedRowsAreDetected(_ sql: String) throws {
    var generator = SeededRandom(function: "missedRowsAreDetected(\(sql))")
    let (isEqual, _) = try follow(sql, in: .pool, &generator, roundCount: 150) { elements in
      elements.filter { $0.id == 0 }
    }
    #expect(!isEqual)
  }
}

extension SeededRandom {
  /// A change of one row, of many rows, or of nearly all of them.
  fileprivate mutating func change() -> String {
    let (id, n) = (Int.random(in: 1...400, using: &self), Int.random(in: -50...50, using: &self))
    switch Int.random(in: 0..<12, using: &self) {
    case 0..<4:
      return "UPDATE item SET n = \(n), name = name || '+' WHERE id = (SELECT min(id) FROM item WHERE id >= \(id))"
    case 4..<7: return "INSERT OR REPLACE INTO item VALUES (\(id), \(n), 'n\(n)')"
    case 7: return "DELETE FROM item WHERE id = \(id)"
    case 8: return "UPDATE item SET n = n + 1 WHERE id BETWEEN \(id) AND \(id) + 100"
    case 9: return "DELETE FROM item WHERE id > \(Int.random(in: 0..<4, using: &self) == 0 ? 3 : id)"
    default:
      return "WITH RECURSIVE i (i) AS (SELECT \(id) UNION ALL SELECT i + 1 FROM i WHERE i < \(id) + 150) "
        + "INSERT OR IGNORE INTO item SELECT i, i % 40, 'new' FROM i"
    }
  }
}
