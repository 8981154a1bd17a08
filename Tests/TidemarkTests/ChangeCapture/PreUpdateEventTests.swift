import CSQLite
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The rows that observers receive before they change.
@Suite struct PreUpdateEventTests {
  /// Calls a closure with the events of the table `book`.
  private final class Observer: TransactionObserver {
    private let willChange: (DatabasePreUpdateEvent) -> Void

    init(_ willChange: @escaping (DatabasePreUpdateEvent) -> Void) { self.willChange = willChange }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "book" }
    func databaseWillChange(with event: DatabasePreUpdateEvent) { willChange(event) }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }

  private static func words(_ rowID: Int64?, _ values: [DatabaseValue]?) -> String {
    guard let rowID, let values else { return "none" }
    return "#\(rowID)(\(values.map(\.description).joined(separator: ", ")))"
  }

  /// Formatted as in `update book #1(1, "Dune") -> #1(1, "Emma") of 2 columns at depth 0`.
  private static func words(_ event: DatabasePreUpdateEvent) -> String {
    let (old, new) = (event.initialDatabaseValues, event.finalDatabaseValues)
    // The values one by one are the same.
    for index in 0..<event.count {
      #expect(event.initialDatabaseValue(atIndex: index) == old?[index])
      #expect(event.finalDatabaseValue(atIndex: index) == new?[index])
    }
    return
      "\(event.kind) \(event.tableName) \(words(event.initialRowID, old)) -> \(words(event.finalRowID, new)) "
      + "of \(event.count) columns at depth \(event.depth)"
  }

  /// The events of some SQL, as they are during the call and as copies afterwards.
  private func events(_ sql: String) throws -> (live: [String], copied: [String]) {
    var (live, copies) = ([String](), [DatabasePreUpdateEvent]())
    let observer = Observer { event in
      live.append(Self.words(event))
      copies.append(event.copy())
    }
    let dbQueue = try DatabaseQueue()
    dbQueue.add(transactionObserver: observer)
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT); \(sql)") }
    return (live, copies.map(Self.words))
  }

  @Test func `the values before and after each change are known, also later in a copy`() throws {
    let events = try events(
      """
      INSERT INTO book VALUES (1, 'Dune');
      UPDATE book SET title = NULL, id = 2;
      DELETE FROM book;
      """)
    #expect(
      events.live == [
        #"insert book none -> #1(1, "Dune") of 2 columns at depth 0"#,
        #"update book #1(1, "Dune") -> #2(2, NULL) of 2 columns at depth 0"#,
        #"delete book #2(2, NULL) -> none of 2 columns at depth 0"#,
      ])
    #expect(events.copied == events.live)
  }

  @Test func `a change by a trigger has a depth`() throws {
    let events = try events(
      """
      CREATE TABLE shelf (id INTEGER PRIMARY KEY);
      CREATE TRIGGER filled AFTER INSERT ON shelf BEGIN INSERT INTO book VALUES (new.id, 'Dune'); END;
      INSERT INTO shelf VALUES (7);
      """)
    #expect(events.live == [#"insert book none -> #7(7, "Dune") of 2 columns at depth 1"#])
    #expect(events.copied == events.live)
  }

  /// SQLite calls the hook as for a deletion, and does not report what will be written.
  @Test func `an incremental blob write is an update whose new values are NULL`() throws {
    var live: [String] = []
    let observer = Observer { live.append(Self.words($0.copy())) }
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { db in
      try db.execute(
        sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, cover BLOB); INSERT INTO book VALUES (1, x'0102')")
    }
    dbQueue.add(transactionObserver: observer)
    try dbQueue.inDatabase { db in
      var blob: OpaquePointer?
      try #require(sqlite3_blob_open(db.sqliteConnection, "main", "book", "cover", 1, 1, &blob) == SQLITE_OK)
      #expect(sqlite3_blob_write(blob, [9], 1, 0) == SQLITE_OK)
      sqlite3_blob_close(blob)
    }
    #expect(live == [#"update book #1(1, Data(2 bytes)) -> #1(NULL, NULL) of 2 columns at depth 0"#])
  }

  @Test(arguments: [true, false]) func `an index that is out of range traps`(isInitial: Bool) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isInitial] in
      let observer = Observer { event in
        _ = isInitial ? event.initialDatabaseValue(atIndex: 2) : event.finalDatabaseValue(atIndex: 2)
      }
      let dbQueue = try DatabaseQueue()
      dbQueue.add(transactionObserver: observer)
      try dbQueue.write { db in
        try db.execute(
          sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO book VALUES (1, 'Dune')")
      }
    }
    #expect(result.words.contains("column index 2 out of range: the row has 2 columns"))
  }
}
