import TestSupport
import Testing
import Tidemark

/// The columns that are added to a request do not change its result, for any later schema.
@Suite(.untilItHangs) struct CompletedTextTests {
  /// All columns of the row.
  private struct Item: Equatable, Identifiable, FetchableRecord, Sendable {
    var id: String
    var text: String

    init(row: Row) {
      id = row.first.map { "\($0.1)" } ?? ""
      text = row.map { "\($0) \($1)" }.joined(separator: ", ")
    }
  }

  private static let table = """
    CREATE TABLE item (name TEXT, n INTEGER, other INTEGER);
    INSERT INTO item VALUES ('a', 3, 1), ('b', 2, 2), ('c', 1, 3);
    """

  /// After each step, the list is the result.
  private func follow(
    _ setup: String, _ sql: String, arguments: StatementArguments = [], order: String, _ steps: [String],
    in queue: DatabaseQueue? = nil
  ) async throws {
    let folder = try TemporaryFolder()
    let writer: any DatabaseWriter = if let queue { queue } else { try folder.pool() }
    try await writer.write { try $0.execute(sql: setup) }
    let request = SQLRequest<Item>(sql: sql, arguments: arguments)
    let list = Locked<[Item]?>(nil)
    let loop = Task {
      for try await difference in request.differencesByRow().values(in: writer) {
        list.update { $0 = ($0 ?? []).applying(difference) }
      }
    }
    for step in [""] + steps {
      try await writer.write { try $0.execute(sql: step) }
      let expected = try await writer.writeWithoutTransaction {
        try Item.fetchAll($0, sql: sql + order, arguments: arguments)
      }
      try await waitUntil("\(sql), after \(step)") { list.value == expected }
    }
    loop.cancel()
    _ = await loop.result
  }

  /// The columns after the selected ones have changed.
  @Test(arguments: ["ADD COLUMN more DEFAULT 3", "DROP COLUMN other", "RENAME COLUMN other TO more"])
  func addedAndDroppedColumnsAreShown(_ change: String) async throws {
    try await follow(
      Self.table, "SELECT * FROM item ORDER BY n", order: ", rowid",
      [
        "UPDATE item SET name = 'd' WHERE name = 'a'", "ALTER TABLE item \(change)",
        "UPDATE item SET name = 'e' WHERE name = 'd'", "UPDATE item SET n = 0 WHERE name = 'e'",
        "DELETE FROM item WHERE name = 'b'",
      ])
  }

  @Test func replacedTablesAreFollowed() async throws {
    try await follow(
      Self.table, "SELECT * FROM item ORDER BY n", order: ", rowid",
      [
        "DROP TABLE item; CREATE TABLE item (n INTEGER, id INTEGER PRIMARY KEY);"
          + "INSERT INTO item VALUES (3, 7), (4, 9)",
        "UPDATE item SET n = 5 WHERE id = 7", "UPDATE item SET id = 8 WHERE id = 9",
        "DROP TABLE item; CREATE TABLE item (n INTEGER); INSERT INTO item VALUES (3), (4)",
        "UPDATE item SET n = 5 WHERE n = 3", "UPDATE item SET n = 6 WHERE n = 4",
      ])
  }

  @Test(arguments: ["name TEXT, id INTEGER", "name TEXT"])
  func temporaryTablesHideOthers(_ columns: String) async throws {
    let ids = columns == "name TEXT" ? ["", ""] : [", 10", ", 20"]
    try await follow(
      "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO item VALUES (1, 'a'), (2, 'b')",
      "SELECT * FROM item ORDER BY name", order: "",
      [
        "UPDATE item SET name = 'c' WHERE id = 1",
        "CREATE TEMP TABLE item (\(columns)); INSERT INTO temp.item VALUES ('d'\(ids[0])), ('e'\(ids[1]))",
        "UPDATE temp.item SET name = 'f' WHERE name = 'd'", "UPDATE temp.item SET name = 'g' WHERE name = 'e'",
        "DROP TABLE temp.item; UPDATE item SET name = 'h' WHERE id = 2",
      ], in: DatabaseQueue())
  }

  /// A selected expression without a name is named by its text.
  @Test(arguments: [("NULL", #""null""#), ("1", #""1""#), ("n + 1", #""n + 1""#)])
  func aliasesNamedLikeColumnsAreDistinguished(_ shown: String, _ column: String) async throws {
    try await follow(
      #"CREATE TABLE item (id INTEGER PRIMARY KEY, n, "null", "1", "n + 1"); "#
        + "INSERT INTO item VALUES (1, 1, 1, 1, 1), (2, 2, 2, 2, 2), (3, 3, 3, 3, 3)",
      "SELECT \(shown), id FROM item ORDER BY \(column)", order: ", id",
      ["UPDATE item SET \(column) = 9 WHERE id = 1", "UPDATE item SET \(column) = 0 WHERE id = 3"])
  }

  @Test func unsupportedQueriesAreFetchedWhole() async throws {
    let columns = (1...2_000).map { "c\($0)" }.joined(separator: ", ")
    try await follow(
      "CREATE TABLE wide (\(columns)); INSERT INTO wide (c1) VALUES (1), (2)", "SELECT * FROM wide", order: "",
      ["UPDATE wide SET c2 = 3 WHERE c1 = 1", "INSERT INTO wide (c1) VALUES (3)"])
    let conditions = (1...999).map { "n <> \($0 + 10)" }.joined(separator: " AND ")
    try await follow(
      Self.table, "SELECT name, n FROM item WHERE \(conditions)", order: "",
      ["UPDATE item SET n = 4 WHERE name = 'a'", "UPDATE item SET n = 14 WHERE name = 'a'"])
    try await follow(
      Self.table, "SELECT name FROM item WHERE n < :tidemarkRowID", arguments: ["tidemarkRowID": 3], order: "",
      ["UPDATE item SET n = 0 WHERE name = 'a'", "UPDATE item SET n = 9 WHERE name = 'b'"])
  }

  /// One of the names is not a table name where it qualifies columns.
  @Test func schemaTableIsFetchedWhole() async throws {
    try await follow(Self.table, "SELECT name FROM sqlite_schema ORDER BY name", order: "", [])
  }
}

extension Array where Element: Equatable & Identifiable {
  fileprivate func applying(_ difference: KeyedDifference<Element>) -> [Element] {
    var list = self
    list.apply(difference)
    return list
  }
}
