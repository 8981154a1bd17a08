import TestSupport
import Testing

@testable import Tidemark
@testable import TidemarkEssentials

/// Changed rows are fetched one by one where this is cheaper than fetching the whole result.
///
/// Fetches are counted in a queue: a pool fetches the whole result if it cannot identify a snapshot within a
/// millisecond.
@Suite struct RowFetchCostTests {
  private struct Item: Equatable, Identifiable, FetchableRecord, Sendable {
    var id: Int
    var n: Int
    var name: String

    init(row: Row) { (id, n, name) = (row["id"], row["n"], row["name"]) }
  }

  private static let ranking = SQLRequest<Item>(sql: "SELECT * FROM item ORDER BY n")

  /// An observed request: its result, made of differences, and the numbers of fetches.
  private struct Follower {
    let writer: any DatabaseWriter
    let counts = Locked(RequestFetchCounts())
    let lists = Deliveries<[Item]>()
    private let folder: TemporaryFolder
    private let cancellable: AnyDatabaseCancellable

    /// Waits for the first result.
    init(_ request: SQLRequest<Item> = ranking, in home: RequestDatabase, rowCount: Int) throws {
      folder = try TemporaryFolder()
      writer = try home.open(folder.path("db"))
      try writer.write { db in
        try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER, name TEXT)")
        try db.insertItems(1..<(rowCount + 1))
      }
      let lists = lists
      cancellable = request.differences(counts: counts)
        .start(in: writer, scheduling: Inline(), onError: { lists.fail($0) }) { lists.append(applying: $0) }
      let expected = try writer.read { try request.fetchAll($0) }
      try lists.wait { $0.last == expected }
    }

    /// Writes, and waits until the list is the result of the ranking.
    func write(_ sql: String) throws {
      try writer.write { try $0.execute(sql: sql) }
      let expected = try writer.read { try ranking.fetchAll($0) }
      try lists.wait { $0.last == expected }
    }
  }

  // MARK: Choices

  @Test func costsAreComparedInInstructions() {
    let cost = RowFetchCost(instructionCount: 500)
    #expect(cost.allowsRows(0, insteadOf: 0))
    #expect(!cost.allowsRows(1, insteadOf: 499))
    #expect(cost.allowsRows(1, insteadOf: 500))
    #expect(cost.allowsRows(20, insteadOf: 10_000))
    #expect(!cost.allowsRows(21, insteadOf: 10_000))
  }

  @Test func changedRowsOfLongResultsAreFetchedAlone() throws {
    let follower = try Follower(in: .queue, rowCount: 1_000)
    try follower.write("UPDATE item SET n = -1 WHERE id = 700")
    #expect(follower.counts.value == RequestFetchCounts(rows: 1, wholeResults: 1))
  }

  @Test(arguments: RequestDatabase.kinds)
  func shortResultsAreFetchedAsAWhole(_ home: RequestDatabase) throws {
    let follower = try Follower(in: home, rowCount: 5)
    try follower.write("UPDATE item SET n = -1 WHERE id = 3")
    try follower.write("UPDATE item SET n = -2 WHERE id = 4")
    #expect(follower.counts.value == RequestFetchCounts(rows: 0, wholeResults: 3))
  }

  @Test func manyChangedRowsOfLongResultsAreFetchedTogether() throws {
    let follower = try Follower(in: .queue, rowCount: 1_000)
    try follower.write("UPDATE item SET n = -n WHERE id <= 120")
    #expect(follower.counts.value == RequestFetchCounts(rows: 0, wholeResults: 2))
    try follower.write("UPDATE item SET n = 5 WHERE id = 7")
    #expect(follower.counts.value == RequestFetchCounts(rows: 1, wholeResults: 2))
  }

  /// The cost of a whole fetch is the number of rows that the query reads, not the number of rows that it returns.
  @Test func shortResultsOfLongScansAreFetchedByRow() throws {
    let request = SQLRequest<Item>(sql: "SELECT * FROM item WHERE n BETWEEN 10 AND 12 ORDER BY n")
    let follower = try Follower(request, in: .queue, rowCount: 1_000)
    #expect(follower.lists.values.last?.count == 3)
    try follower.writer.write { try $0.execute(sql: "UPDATE item SET name = 'new' WHERE id = 11") }
    try follower.lists.wait { $0.last?.map(\.name) == ["10", "new", "12"] }
    #expect(follower.counts.value == RequestFetchCounts(rows: 1, wholeResults: 1))
  }

  @Test func grownResultsAreFetchedByRow() throws {
    let follower = try Follower(in: .queue, rowCount: 0)
    try follower.writer.write { try $0.insertItems(1..<501) }
    try follower.lists.wait { $0.last?.count == 500 }
    // This fetch also reads the keys of the rows.
    try follower.write("UPDATE item SET n = 900 WHERE id = 1")
    #expect(follower.counts.value.rows == 0)
    try follower.write("UPDATE item SET n = 901 WHERE id = 2")
    #expect(follower.counts.value.rows == 1)
  }
}

extension Database {
  fileprivate func insertItems(_ ids: Range<Int>) throws {
    for id in ids { try execute(sql: "INSERT INTO item VALUES (?, ?, ?)", arguments: [id, id, "\(id)"]) }
  }
}
