import CSQLite
import Foundation
import Testing
import Tidemark

/// Traced statements, and the format of the trace.
@Suite struct TraceTests {
  @Test func tracesShowValuesOnlyOnRequest() throws {
    let events = Locked<[[String]]>([])
    let dbQueue = try DatabaseQueue()
    try dbQueue.inDatabase { db throws in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        let texts = [
          event.description, event.expandedDescription, statement.sql, statement.expandedSQL, statement.description,
        ]
        events.update { $0.append(texts) }
      }
      try db.execute(sql: " SELECT ?, ?, ? ; ", arguments: ["it's", Data([1, 2]), nil])
    }
    let sql = "SELECT ?, ?, ?"
    let expanded = "SELECT 'it''s', x'0102', NULL"
    #expect(events.value == [[sql, expanded, sql, expanded, sql]])
  }

  @Test func aTraceThatRefersToItsConnectionEndsWithIt() throws {
    weak var connection: Database?
    do {
      var configuration = Configuration()
      configuration.prepareDatabase { db in db.trace { _ in _ = db.description } }
      let dbQueue = try DatabaseQueue(configuration: configuration)
      connection = dbQueue.unsafeRead { $0 }
      #expect(connection != nil)
    }
    #expect(connection == nil)
  }

  @Test func publicArgumentsAreShown() throws {
    let trace = TraceRecorder()
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    try trace.makeQueue(configuration).inDatabase { try $0.execute(sql: "SELECT ?", arguments: ["a"]) }
    #expect(trace.lines == ["SELECT 'a'"])
  }

  @Test func aTextThatWouldBeTooLongIsShownWithoutItsValues() throws {
    let events = Locked<[String]>([])
    try DatabaseQueue().inDatabase { db throws in
      db.trace { event in events.update { $0.append(event.expandedDescription) } }
      let text = String(repeating: "'", count: 900)
      sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 1_000)
      try db.execute(sql: "SELECT ?", arguments: ["a"])
      // Each quote is doubled.
      try db.execute(sql: "SELECT ?", arguments: [text])
    }
    #expect(events.value == ["SELECT 'a'", "SELECT ?"])
  }

  @Test func leadingCommentsAreKept() throws {
    let events = Locked<[String]>([])
    try DatabaseQueue().inDatabase { db throws in
      db.trace { event in events.update { $0 += [event.description, event.expandedDescription] } }
      try db.execute(sql: "-- note\nSELECT ?;", arguments: [7])
    }
    #expect(events.value == ["-- note\nSELECT ?", "-- note\nSELECT 7"])
  }

  @Test func triggerProgramsAreComments() throws {
    let trace = TraceRecorder()
    let dbQueue = try trace.makeQueue()
    try dbQueue.inDatabase { db throws in
      try db.execute(
        sql: """
          CREATE TABLE child (id);
          CREATE TABLE parent (id);
          CREATE TRIGGER tr AFTER INSERT ON parent BEGIN DELETE FROM child WHERE id = new.id; END
          """)
      trace.clear()
      try db.execute(sql: "INSERT INTO parent VALUES (?)", arguments: [1])
    }
    #expect(
      trace.lines == ["INSERT INTO parent VALUES (?)", "-- TRIGGER tr", "-- DELETE FROM child WHERE id = new.id"])
  }

  @Test func profilesReportDurations() throws {
    let events = Locked<[(String, String, String, Double)]>([])
    try DatabaseQueue().inDatabase { db throws in
      db.trace(options: .profile) { event in
        guard case .profile(let statement, let duration) = event else { return }
        let entry = (event.description, event.expandedDescription, statement.sql, duration)
        events.update { $0.append(entry) }
      }
      try db.execute(sql: "SELECT ?", arguments: ["a"])
    }
    let (description, expanded, sql, duration) = try #require(events.value.first)
    #expect(events.value.count == 1)
    #expect(description.wholeMatch(of: #/\d+\.\d{3}s SELECT \?/#) != nil)
    #expect(expanded.wholeMatch(of: #/\d+\.\d{3}s SELECT 'a'/#) != nil)
    #expect(sql == "SELECT ?")
    #expect(duration >= 0)
  }

  @Test func statementsAndProfilesAreTraced() throws {
    let trace = TraceRecorder()
    try DatabaseQueue().inDatabase { db throws in
      db.trace(options: [.statement, .profile]) { event in
        if case .statement = event { trace.append("statement") } else { trace.append("profile") }
      }
      try db.execute(sql: "SELECT 1; SELECT 2")
    }
    #expect(trace.lines == ["statement", "profile", "statement", "profile"])
  }

  @Test func nilStopsTheTrace() throws {
    let trace = TraceRecorder()
    try trace.makeQueue().inDatabase { db throws in
      try db.execute(sql: "SELECT 1")
      db.trace(nil)
      try db.execute(sql: "SELECT 2")
    }
    #expect(trace.lines == ["SELECT 1"])
  }

  @Test func newTracesReplaceOldOnes() throws {
    let one = TraceRecorder()
    let two = TraceRecorder()
    try one.makeQueue().inDatabase { db throws in
      db.trace { two.append($0.expandedDescription) }
      try db.execute(sql: "SELECT ?", arguments: [1])
    }
    #expect(one.lines == [])
    #expect(two.lines == ["SELECT 1"])
  }
}
