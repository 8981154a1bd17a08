import Testing

import Tidemark
@testable import TidemarkEssentials

/// The counters that a program has changed with its own statements on `sqlite_sequence`.
@Suite struct StoredNumbersTests {
  private func counted() throws -> (DatabaseQueue, ChangeRecorder) {
    try captured(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO t VALUES (7);",
      CaptureNeeds(otherTables: .all, storedNumbers: true))
  }

  /// The reported counters, formatted as in `t 7`.
  private func counters(_ recorder: ChangeRecorder) -> [String] {
    recorder.take().flatMap { $0.details?.numbers.counters ?? [] }
      .map { "\($0.table) \($0.value.map(String.init) ?? "none")" }
  }

  @Test func `changed and removed counters are reported as they are afterwards`() throws {
    let (dbQueue, recorder) = try counted()
    try dbQueue.write { try $0.execute(sql: "UPDATE sqlite_sequence SET seq = 20; UPDATE sqlite_sequence SET seq = 9") }
    #expect(counters(recorder) == ["t 9"])
    try dbQueue.write { try $0.execute(sql: "DELETE FROM sqlite_sequence") }
    #expect(counters(recorder) == ["t none"])
  }

  @Test func `a name that is no text is no table`() throws {
    let (dbQueue, recorder) = try counted()
    try dbQueue.write { try $0.execute(sql: "INSERT INTO sqlite_sequence VALUES (NULL, 1), ('other', 3)") }
    #expect(counters(recorder) == ["other 3"])
  }

  @Test func `an update without effect changes no counter, also if it is observed`() throws {
    let (dbQueue, recorder) = try counted()
    let observer = EventRecorder(table: "sqlite_sequence")
    dbQueue.add(transactionObserver: observer)
    try dbQueue.write { db in
      try db.execute(sql: "UPDATE sqlite_sequence SET seq = seq; INSERT INTO sqlite_sequence VALUES ('other', 3)")
    }
    #expect(observer.log.prefix(2) == ["update sqlite_sequence 1", "insert sqlite_sequence 2"])
    #expect(counters(recorder) == ["other 3"])
  }
}
