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

  private func open(_ home: RequestDatabase, _ folder: TemporaryFolder, count: Int) throws -> any DatabaseWriter {
    let writer = try home.open(folder.path("db"))
    try writer.write { db in
      try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER, name TEXT)")
      try db.insertItems(1..<(count + 1))
    }
    return writer
  }

  private func start(
    _ observation: DifferenceObservation<Item>, in reader: some DatabaseReader
  ) -> (lists: Deliveries<[Item]>, cancellable: AnyDatabaseCancellable) {
    let lists = Deliveries<[Item]>()
    let cancellable = observation.start(in: reader, scheduling: Inline(), onError: { lists.fail($0) }) {
      lists.append(applying: $0)
    }
    return (lists, cancellable)
  }

  /// Writes, and waits until the list is the result of the request.
  private func write(_ sql: String, to writer: any DatabaseWriter, _ lists: Deliveries<[Item]>) throws {
    try writer.write { try $0.execute(sql: sql) }
    let expected = try writer.read { try Self.ranking.fetchAll($0) }
    try lists.wait { $0.last == expected }
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
    let folder = try TemporaryFolder()
    let writer = try open(.queue, folder, count: 1_000)
    let counts = Locked(RequestFetchCounts())
    let (lists, cancellable) = start(Self.ranking.differences(counts: counts), in: writer)
    try lists.wait { $0.last?.count == 1_000 }
    try write("UPDATE item SET n = -1 WHERE id = 700", to: writer, lists)
    #expect(counts.value == RequestFetchCounts(rows: 1, wholeResults: 1))
    cancellable.cancel()
  }

  @Test(arguments: RequestDatabase.kinds)
  func shortResultsAreFetchedAsAWhole(_ home: RequestDatabase) throws {
    let folder = try TemporaryFolder()
    let writer = try open(home, folder, count: 5)
    let counts = Locked(RequestFetchCounts())
    let (lists, cancellable) = start(Self.ranking.differences(counts: counts), in: writer)
    try lists.wait { $0.last?.count == 5 }
    try write("UPDATE item SET n = -1 WHERE id = 3", to: writer, lists)
    try write("UPDATE item SET n = -2 WHERE id = 4", to: writer, lists)
    #expect(counts.value == RequestFetchCounts(rows: 0, wholeResults: 3))
    cancellable.cancel()
  }

  @Test func manyChangedRowsOfLongResultsAreFetchedTogether() throws {
    let folder = try TemporaryFolder()
    let writer = try open(.queue, folder, count: 1_000)
    let counts = Locked(RequestFetchCounts())
    let (lists, cancellable) = start(Self.ranking.differences(counts: counts), in: writer)
    try lists.wait { $0.last?.count == 1_000 }
    try write("UPDATE item SET n = -n WHERE id <= 120", to: writer, lists)
    #expect(counts.value == RequestFetchCounts(rows: 0, wholeResults: 2))
    try write("UPDATE item SET n = 5 WHERE id = 7", to: writer, lists)
    #expect(counts.value == RequestFetchCounts(rows: 1, wholeResults: 2))
    cancellable.cancel()
  }

  /// The cost of a whole fetch is the number of rows that the query reads, not the number of rows that it returns.
  @Test func shortResultsOfLongScansAreFetchedByRow() throws {
    let folder = try TemporaryFolder()
    let writer = try open(.queue, folder, count: 1_000)
    let counts = Locked(RequestFetchCounts())
    let request = SQLRequest<Item>(sql: "SELECT * FROM item WHERE n BETWEEN 10 AND 12 ORDER BY n")
    let (lists, cancellable) = start(request.differences(counts: counts), in: writer)
    try lists.wait { $0.last?.count == 3 }
    try writer.write { try $0.execute(sql: "UPDATE item SET name = 'new' WHERE id = 11") }
    try lists.wait { $0.last?.map(\.name) == ["10", "new", "12"] }
    #expect(counts.value == RequestFetchCounts(rows: 1, wholeResults: 1))
    cancellable.cancel()
  }

  @Test func grownResultsAreFetchedByRow() throws {
    let folder = try TemporaryFolder()
    let writer = try open(.queue, folder, count: 0)
    let counts = Locked(RequestFetchCounts())
    let (lists, cancellable) = start(Self.ranking.differences(counts: counts), in: writer)
    try lists.wait { $0.last == [] }
    try writer.write { try $0.insertItems(1..<501) }
    try lists.wait { $0.last?.count == 500 }
    // This fetch also reads the keys of the rows.
    try write("UPDATE item SET n = 900 WHERE id = 1", to: writer, lists)
    #expect(counts.value.rows == 0)
    try write("UPDATE item SET n = 901 WHERE id = 2", to: writer, lists)
    #expect(counts.value.rows == 1)
    cancellable.cancel()
  }
}

extension Database {
  fileprivate func insertItems(_ ids: Range<Int>) throws {
    for id in ids { try execute(sql: "INSERT INTO item VALUES (?, ?, ?)", arguments: [id, id, "\(id)"]) }
  }
}
