import Foundation
import Testing
import Tidemark

/// Random values in all formats: no call traps, and the texts contain the values.
@Suite struct DumpFuzzTests {
  private static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"
  private static let rounds = isFull ? 20_000 : 300

  @Test func `random values are dumped`() throws {
    var random = SeededRandom()
    try inMemory { db in
      for _ in 0..<Self.rounds {
        let names = (0..<Int.random(in: 1...4, using: &random)).map { _ in Self.text(&random) }
        let values = names.map { _ in Self.value(&random) }
        let columns = names.map { "? AS \($0.replacing("\0", with: "").quotedDatabaseIdentifier)" }
        let sql = SQL(sql: "SELECT \(columns.joined(separator: ", "))", arguments: StatementArguments(values))
        let separator = Self.text(&random)
        let debug = try db.dumpedSQL(sql, .debug(header: true, separator: separator, nullValue: Self.text(&random)))
        // A carriage return before it is a part of the same Swift character.
        #expect(debug.utf8.last == UInt8(ascii: "\n"))
        _ = try db.dumpedSQL(sql, .list(header: true, separator: separator))
        _ = try db.dumpedSQL(sql, .line(nullValue: separator))
        try expectQuoted(values, names, db.dumpedSQL(sql, .quote(separator: ", ")), db)
        try expectJSON(values, db.dumpedSQL(sql, .json()))
      }
    }
  }

  @Test func `stored bytes that are not UTF-8 are dumped`() throws {
    var random = SeededRandom()
    try inMemory { db in
      try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
      for id in 1...Self.rounds {
        let bytes = Data(
          (0..<Int.random(in: 0..<12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        try db.execute(sql: "INSERT INTO t VALUES (?, CAST(? AS TEXT))", arguments: [id, bytes])
        let sql: SQL = "SELECT * FROM t WHERE id = \(id)"
        try #expect(db.dumpedSQL(sql, .debug()).utf8.starts(with: "\(id)|".utf8))
        try #expect(db.dumpedSQL(sql, .list()).utf8.starts(with: "\(id)|".utf8))
        try #expect(db.dumpedSQL(sql, .line()).contains("id = \(id)\n"))
        try #expect(db.dumpedSQL(sql, .quote()).utf8.starts(with: "\(id),".utf8))
        try expectJSON([], db.dumpedSQL(sql, .json()))
      }
      let stream = TextStream()
      try db.dumpContent(to: stream)
      #expect(!stream.output.isEmpty)
    }
  }

  private final class TextStream: TextOutputStream {
    var output = ""
    func write(_ string: String) { output += string }
  }

  /// The literals have the values of the row. Infinity has no literal.
  private func expectQuoted(_ values: [DatabaseValue], _ names: [String], _ text: String, _ db: Database) throws {
    guard !values.contains(where: { $0.double?.isInfinite == true }) else { return }
    let row = try #require(try Row.fetchOne(db, sql: "SELECT \(text)"))
    for (value, read) in zip(values, row.databaseValues) {
      #expect(read == value || read.double == 0, "\(text)")
    }
  }

  /// The document contains the row.
  private func expectJSON(_ values: [DatabaseValue], _ text: String) throws {
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    #expect(rows.count == 1)
    if values.count == 1, let value = rows[0].values.first, case .string(let expected) = values[0].storage {
      #expect(value as? String == expected)
    }
  }

  private static func value(_ random: inout SeededRandom) -> DatabaseValue {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: .null
    case 1: Int64.random(in: Int64.min...Int64.max, using: &random).databaseValue
    case 2:
      random.pick([0, -0.0, Double.leastNonzeroMagnitude, 1.5, .infinity, -.infinity, 1e308, 123_456_789.125])
        .databaseValue
    case 3: text(&random).databaseValue
    case 4: Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }).databaseValue
    default:
      Data((0..<Int.random(in: 0..<20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        .databaseValue
    }
  }

  private static func text(_ random: inout SeededRandom) -> String {
    let alphabet = Array("ab|,'\"\\/ \n\t\r\u{0}é\u{301}\u{1F469}\u{200D}\u{FFFD}grdb_")
    return String((0..<Int.random(in: 1..<10, using: &random)).map { _ in random.pick(alphabet) })
  }
}

extension DatabaseValue {
  fileprivate var double: Double? {
    if case .double(let number) = storage { number } else { nil }
  }
}
