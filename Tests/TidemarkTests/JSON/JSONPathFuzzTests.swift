import Foundation
import Testing
import Tidemark

/// Random documents, paths and values: no call traps, and operators agree with SQLite's functions.
@Suite struct JSONPathFuzzTests {
  private static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"
  private static let rounds = isFull ? 100_000 : 1_000

  private let info = JSONColumn("info")

  @Test func `random paths and documents never trap`() throws {
    var random = SeededRandom()
    var (values, errors) = (0, 0)
    try inPlaces { db in
      for _ in 0..<Self.rounds {
        let document = Self.document(&random)
        let path = Self.path(&random)
        try db.execute(sql: "UPDATE pl SET info = ? WHERE id = 1", arguments: [document])
        let requests = [info[path], info.jsonRepresentation(atPath: path)] + functions(path, &random)
        for expression in requests {
          let request = Place.filter(id: 1).select(expression)
          do {
            _ = try Row.fetchOne(db, request)
            values += 1
          } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_ERROR)
            errors += 1
          }
        }
        try expectAgreement(on: document, path, db)
      }
    }
    // Both outcomes occur.
    #expect(values > Self.rounds && errors > Self.rounds / 10)
  }

  @Test func `stored bytes are documents, or errors`() throws {
    var random = SeededRandom()
    var errors = 0
    try inPlaces { db in
      for _ in 0..<Self.rounds {
        let bytes = Data(
          Self.document(&random).utf8.map { byte in
            Int.random(in: 0..<10, using: &random) == 0 ? UInt8.random(in: 0...255, using: &random) : byte
          })
        let path = Self.path(&random)
        try db.execute(sql: "UPDATE pl SET info = CAST(? AS TEXT) WHERE id = 1", arguments: [bytes])
        for expression in [info[path], info.jsonRepresentation(atPath: path)] + functions(path, &random) {
          do {
            _ = try Row.fetchOne(db, Place.filter(id: 1).select(expression))
          } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_ERROR)
            errors += 1
          }
        }
      }
    }
    #expect(errors > 0)
  }

  private func functions(_ path: String, _ random: inout SeededRandom) -> [SQLExpression] {
    let element: any SQLExpressible = random.pick([info, info["a"], Column("name"), "text", 1, 1.5, DatabaseValue.null])
    return [
      info.jsonExtract(atPath: path), info.jsonExtract(atPaths: [path, "$"]),
      Database.jsonSet(info, [path: element]), Database.jsonRemove(info, atPath: path),
      Database.jsonType(info, atPath: path), Database.jsonArray([element, path]),
      Database.jsonObject([(path, element)]),
    ]
  }

  /// A path that begins with `$` means the same for `->>` and `JSON_EXTRACT`.
  private func expectAgreement(on document: String, _ path: String, _ db: Database) throws {
    guard path.hasPrefix("$") else { return }
    func value(_ expression: SQLExpression) -> String {
      message { throw Found(value: try DatabaseValue.fetchOne(db, Place.filter(id: 1).select(expression))) }
        .prefix { $0 != "-" }.description
    }
    #expect(value(info[path]) == value(info.jsonExtract(atPath: path)), "\(document) \(path)")
  }

  private struct Found: Error { var value: DatabaseValue? }

  private static func document(_ random: inout SeededRandom) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: #"{"a":{"b":[1,2,{"c":"é"}]},"k":null,"x.y":true}"#
    case 1: random.pick(["", "[", "null", "1e999", "\"\\ud800\"", "[1,2,3", "{a:1}", "[[[[]]]]"])
    default: text(&random)
    }
  }

  private static func path(_ random: inout SeededRandom) -> String {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: random.pick(["$", "$.a", "$.a.b[0]", "$.a.b[#-1]", "a", "k", "$.\"x.y\"", "[0]", "$[99999999999]"])
    case 1: "$" + text(&random)
    default: text(&random)
    }
  }

  private static func text(_ random: inout SeededRandom) -> String {
    let alphabet = Array("$.[]{}\"'#-0123456789abk:, \\\n\u{0}é\u{1F469}")
    return String((0..<Int.random(in: 0..<12, using: &random)).map { _ in random.pick(alphabet) })
  }
}
