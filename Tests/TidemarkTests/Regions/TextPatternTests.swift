import Foundation
import Testing
import Tidemark

@testable import TidemarkEssentials

/// The pattern operators of SQLite, evaluated for the rows of a commit.
@Suite struct TextPatternTests {
  @Test(arguments: [
    (TextPattern.like, "abc", "a%", RowFormula.Outcome.integer(1)),
    (.like, "abc", "b%", .integer(0)),
    // `PRAGMA case_sensitive_like` decides.
    (.like, "ABC", "a%", .unknown),
    (.like, "é", "_", .integer(1)),
    (.like, "é", "É", .integer(0)),
    (.like, "", "%%", .integer(1)),
    (.like, "mississippi", "%iss%ip_i", .integer(1)),
    (.glob, "abc", "a?c", .integer(1)),
    (.glob, "ABC", "a*", .integer(0)),
    // A set of characters is not analysed.
    (.glob, "a", "[ab]", .unknown),
    (.like, "a\u{0}b", "a", .unknown),
    (.like, "\u{FFFD}", "_", .unknown),
  ])
  func aPatternMatchesAsInSQLite(operation: TextPattern, text: String, pattern: String, outcome: RowFormula.Outcome) {
    #expect(operation.outcome(text.databaseValue, matching: pattern.databaseValue) == outcome)
  }

  @Test func numbersAreMatchedIfTheirTextIsCertain() {
    #expect(TextPattern.like.outcome(12.databaseValue, matching: "1_".databaseValue) == .integer(1))
    #expect(TextPattern.like.outcome("12".databaseValue, matching: 12.databaseValue) == .integer(1))
    #expect(TextPattern.like.outcome(1.5.databaseValue, matching: "1%".databaseValue) == .unknown)
    #expect(TextPattern.like.outcome(.null, matching: "%".databaseValue) == .null)
    #expect(TextPattern.glob.outcome("a".databaseValue, matching: .null) == .null)
  }

  @Test func `a pattern has an unknown result for NULL and a blob`() throws {
    let blob = Data([0x61]).databaseValue
    for operation in [TextPattern.like, .glob] {
      #expect(operation.outcome(.null, matching: blob) == .unknown)
      #expect(operation.outcome(blob, matching: .null) == .unknown)
    }
    // With Debian's SQLite, NULL LIKE x'61' is 0, and the new row is selected.
    let dbQueue = try DatabaseQueue()
    try dbQueue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, x)") }
    let count = Locked(0)
    let request = SQLRequest<Row>(sql: "SELECT id FROM t WHERE NOT (x LIKE x'61')")
    let observer = DatabaseRegionObservation(tracking: request).start(in: dbQueue) { _ in
    } onChange: { _ in
      count.update { $0 += 1 }
    }
    defer { observer.cancel() }
    try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, NULL)") }
    #expect(count.value == 1)
  }

  @Test func aSearchThatTakesTooLongIsGivenUp() {
    let text = String(repeating: "a", count: 1_000)
    let pattern = "%" + String(repeating: "a", count: 500) + "b"
    #expect(TextPattern.like.outcome(text.databaseValue, matching: pattern.databaseValue) == .unknown)
    #expect(TextPattern.like.outcome(text.databaseValue, matching: "b%".databaseValue) == .integer(0))
    let globPattern = "*" + pattern.dropFirst()
    #expect(TextPattern.glob.outcome(text.databaseValue, matching: globPattern.databaseValue) == .unknown)
    #expect(TextPattern.glob.outcome(text.databaseValue, matching: "b*".databaseValue) == .integer(0))
    let longText = String(repeating: "a", count: 2_001)
    #expect(TextPattern.like.outcome(longText.databaseValue, matching: "b%".databaseValue) == .unknown)
  }

  @Test(arguments: [true, false]) func outcomesAgreeWithSQLite(isCaseSensitive: Bool) throws {
    var generator = SeededRandom()
    let queue = try DatabaseQueue()
    try queue.write { db in
      try db.execute(sql: "PRAGMA case_sensitive_like = \(isCaseSensitive)")
      var known = 0
      for _ in 0..<3_000 {
        func text(_ characters: [String], _ count: Int) -> String {
          (0..<Int.random(in: 0...count, using: &generator)).map { _ in generator.pick(characters) }.joined()
        }
        let value = text(["a", "b", "A", "é", "😀", "%", "*"], 6)
        let pattern = text(["a", "b", "A", "é", "😀", "%", "_", "*", "?", "%", "*"], 6)
        let operation: TextPattern = Bool.random(using: &generator) ? .like : .glob
        let expected = try Int64.fetchOne(db, sql: "SELECT ? \(operation.rawValue) ?", arguments: [value, pattern])
        switch operation.outcome(value.databaseValue, matching: pattern.databaseValue) {
        case .integer(let outcome):
          known += 1
          #expect(outcome == expected, "'\(value)' \(operation) '\(pattern)'")
        case .unknown: break
        case .null, .text: Issue.record("'\(value)' \(operation) '\(pattern)'")
        }
      }
      #expect(known > 2_000)
    }
  }
}
