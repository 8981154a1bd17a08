import Testing

import Tidemark
@testable import TidemarkEssentials

/// The detail of the reports to each observer, and their start.
@Suite struct CaptureNeedsTests {
  @Test func exceedingTheLogBoundReportsCoarsely() throws {
    let (dbQueue, recorder) = try captured(Captured.book + "CREATE TABLE few (a);", bound: 10)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO few VALUES (1)")
      for id in 1...20 { try db.execute(sql: "INSERT INTO book VALUES (?, NULL, 1)", arguments: [id]) }
      try db.execute(sql: "UPDATE book SET pages = 2")
    }
    let commit = try #require(recorder.take().first)
    #expect(commit.rows.map(\.words) == ["insert few #1(a=1)"])
    #expect(commit.tables.map { "\($0.key) \($0.isCoarse)" } == ["few false", "book true"])
    #expect(commit.tables.last?.updatedColumns == ["pages"])
  }

  @Test func tablesHaveTheirOwnBound() throws {
    let needs = CaptureNeeds(tables: [
      TableKey("book"): .init(columns: nil, values: ["pages"], rows: true, rowCountMax: 5),
      TableKey("few"): .init(columns: nil, values: ["a"], rows: true, rowCountMax: 50),
    ])
    let (dbQueue, recorder) = try captured(Captured.book + "CREATE TABLE few (a);", needs)
    try dbQueue.write { db in
      for id in 1...30 { try db.execute(sql: "INSERT INTO book VALUES (?, NULL, 1)", arguments: [id]) }
      try db.execute(sql: "INSERT INTO few VALUES (1)")
    }
    let commit = try #require(recorder.take().first)
    #expect(commit.rows.map(\.words) == ["insert few #1(a=1)"])
    #expect(commit.tables.map { "\($0.key) \($0.isCoarse)" } == ["book true", "few false"])
  }

  @Test func exceedingTheBoundDropsAllRows() throws {
    let (dbQueue, recorder) = try captured(Captured.book + "CREATE TABLE few (a);", bound: 3)
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO few VALUES (1)")
      try db.inSavepoint {
        for id in 1...20 { try db.execute(sql: "INSERT INTO book VALUES (?, NULL, 1)", arguments: [id]) }
        return .rollback
      }
      try db.execute(sql: "INSERT INTO few VALUES (2)")
    }
    #expect(recorder.takeRows() == ["insert few #1(a=1)", "insert few #2(a=2)"])
  }

  @Test func needsApplyFromTheNextTransaction() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    let first = recorder.version
    try dbQueue.write { db in
      let second = recorder.setNeeds(CaptureNeeds(tables: [TableKey("book"): .init(columns: ["id"])]))
      #expect(second > first)
      try db.execute(sql: "INSERT INTO book VALUES (1, 'A', 1)")
    }
    #expect(recorder.take().map(\.needsVersion) == [first])
  }

  @Test func subscribingDuringATransactionReportsUnknownChanges() throws {
    let dbQueue = try DatabaseQueue.withBooks()
    var recorder: ChangeRecorder?
    try dbQueue.write { db in
      try db.execute(sql: "INSERT INTO book VALUES (1, 'A', 1)")
      recorder = ChangeRecorder(dbQueue)
    }
    let reports = try #require(recorder?.take())
    #expect(reports.map { $0.needsVersion < recorder?.version ?? 0 } == [true])
  }

  @Test func commitNumbersGrow() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    for _ in 1...3 { try dbQueue.write { try $0.execute(sql: "INSERT INTO book (pages) VALUES (1)") } }
    #expect(recorder.take().map(\.number) == [1, 2, 3])
    #expect(dbQueue.changeBroker.lastCommitNumber == 3)
  }

  @Test func cancelledSubscriptionsReceiveNothing() throws {
    let (dbQueue, recorder) = try captured(Captured.book)
    recorder.cancel()
    try dbQueue.write { try $0.execute(sql: "INSERT INTO book (pages) VALUES (1)") }
    #expect(recorder.take().isEmpty)
    #expect(dbQueue.changeBroker.current.needs.isEmpty)
  }
}
