import Foundation
import Testing
import Tidemark

/// Collations in Swift.
@Suite struct CollationTests {
  private func sorted(_ words: [String], _ collation: String, _ change: (Database) -> Void = { _ in }) throws
    -> [String]
  {
    try DatabaseQueue().inDatabase { db in
      change(db)
      try db.execute(sql: "CREATE TABLE word (text TEXT)")
      for word in words { try db.execute(sql: "INSERT INTO word VALUES (?)", arguments: [word]) }
      return try String.fetchAll(db, sql: "SELECT text FROM word ORDER BY text COLLATE \(collation)")
    }
  }

  @Test func collationsSort() throws {
    let byLength = DatabaseCollation("by_length") { lhs, rhs in
      lhs.count == rhs.count ? .orderedSame : lhs.count < rhs.count ? .orderedAscending : .orderedDescending
    }
    let words = try sorted(["ccc", "", "🌊🌊", "é", "aaaa"], "BY_LENGTH") { $0.add(collation: byLength) }
    #expect(words == ["", "é", "🌊🌊", "ccc", "aaaa"])
  }

  @Test func collationsReceiveWholeTexts() throws {
    let seen = Locked<Set<String>>([])
    let collation = DatabaseCollation("watching") { lhs, rhs in
      seen.update { $0.formUnion([lhs, rhs]) }
      return .orderedSame
    }
    let words = ["a\0b", "été 🌊", ""]
    _ = try sorted(words, "watching") { $0.add(collation: collation) }
    #expect(seen.value == Set(words))
  }

  @Test func collationNamesIgnoreCase() throws {
    let one = DatabaseCollation("Mine") { _, _ in .orderedSame }
    let other = DatabaseCollation("mINE") { _, _ in .orderedAscending }
    #expect(one == other)
    #expect(one.id == other.id)
    #expect(Set([one, other]).count == 1)
    #expect(one.name == "Mine")
    try DatabaseQueue().inDatabase { db throws in
      db.add(collation: one)
      #expect(try Bool.fetchOne(db, sql: "SELECT 'a' = 'b' COLLATE mine") == true)
      db.add(collation: other)
      #expect(try Bool.fetchOne(db, sql: "SELECT 'a' = 'b' COLLATE mine") == false)
      db.remove(collation: one)
      #expect(
        message { try db.execute(sql: "SELECT 'a' = 'b' COLLATE mine") }.hasPrefix(
          "SQLite error 1: no such collation sequence: mine"))
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    ("swiftCompare", ["z", "É", "e", "a"], ["a", "e", "z", "É"]),
    ("swiftCaseInsensitiveCompare", ["b", "A", "C"], ["A", "b", "C"]),
    ("swiftLocalizedCaseInsensitiveCompare", ["b", "A", "C"], ["A", "b", "C"]),
    ("swiftLocalizedCompare", ["z", "é", "f"], ["é", "f", "z"]),
    ("swiftLocalizedStandardCompare", ["file10", "file2", "File1"], ["File1", "file2", "file10"]),
  ])
  func standardCollationsSort(_ name: String, _ words: [String], _ expected: [String]) throws {
    #expect(try sorted(words, name) == expected)
  }

  @Test func canonicallyEquivalentTextsAreEqual() throws {
    try DatabaseQueue().inDatabase { db throws in
      let forms = ["\u{E9}", "e\u{301}"]
      #expect(try Bool.fetchOne(db, sql: "SELECT ? = ?", arguments: StatementArguments(forms)) == false)
      #expect(
        try Bool.fetchOne(db, sql: "SELECT ? = ? COLLATE swiftCompare", arguments: StatementArguments(forms)) == true)
    }
  }

  @Test func indexesUseCollations() throws {
    try DatabaseQueue().inDatabase { db throws in
      try db.execute(
        sql: "CREATE TABLE word (text TEXT UNIQUE COLLATE swiftCaseInsensitiveCompare); INSERT INTO word VALUES ('été')"
      )
      #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO word VALUES ('ÉTÉ')") }
      #expect(try String.fetchOne(db, sql: "SELECT text FROM word WHERE text = 'ÉtÉ'") == "été")
    }
  }

  private final class Cargo: Sendable {}

  @Test(arguments: ["replaced", "removed", "closed", "released"])
  func unusedCollationsAreReleased(_ end: String) throws {
    var dbQueue: DatabaseQueue? = try DatabaseQueue()
    weak var watched: Cargo?
    do {
      let cargo = Cargo()
      watched = cargo
      let collation = DatabaseCollation("c") { _, _ in withExtendedLifetime(cargo) { .orderedSame } }
      dbQueue?.inDatabase { $0.add(collation: collation) }
    }
    #expect(watched != nil)
    let other = DatabaseCollation("C") { _, _ in .orderedSame }
    switch end {
    case "replaced": dbQueue?.inDatabase { $0.add(collation: other) }
    case "removed": dbQueue?.inDatabase { $0.remove(collation: other) }
    case "closed": try dbQueue?.close()
    default: dbQueue = nil
    }
    #expect(watched == nil)
  }
}
