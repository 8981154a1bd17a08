import Foundation
import Testing
import Tidemark

@testable import Demo

@Suite struct PlainWriterTests {
  private func change(_ columns: [String], _ rows: [[DatabaseValue]], number: Int = 1, isCut: Bool = false)
    -> PlainChange
  {
    PlainChange(
      number: number, query: 2, time: "2026-11-22T10:00:00.000Z",
      result: PlainResult(columns: columns, rows: rows, isCut: isCut))
  }

  private let rows: [[DatabaseValue]] = [
    [1.databaseValue, "a,\"b\"\n\u{1B}[2J".databaseValue, .null],
    [DatabaseValue(.double(2.5)), "".databaseValue, Data([0, 255]).databaseValue],
  ]

  @Test func textFormatWritesALinePerChange() {
    var writer = PlainWriter(.text)
    let lines = writer.lines(for: change(["n", "t", "b"], rows))
    #expect(lines == "2026-11-22T10:00:00.000Z #2 2 rows: n=1 t=a,\"b\"␊␛[2J b=NULL | n=2.5 t= b=x'00ff' 2 B\n")
    #expect(writer.lines(for: change(["n"], [])) == "2026-11-22T10:00:00.000Z #2 0 rows\n")
    let cut = writer.lines(for: change(["n"], [[1.databaseValue]], isCut: true))
    #expect(cut == "2026-11-22T10:00:00.000Z #2 1+ rows: n=1 | …\n")
  }

  @Test func csvFormatWritesARecordPerRow() {
    var writer = PlainWriter(.csv)
    let first = writer.lines(for: change(["n", "t", "b"], rows))
    #expect(
      first == """
        change,query,time,n,t,b
        1,2,2026-11-22T10:00:00.000Z,1,"a,""b""\n\u{1B}[2J",
        1,2,2026-11-22T10:00:00.000Z,2.5,"",x'00ff'

        """)
    let second = writer.lines(for: change(["n", "t", "b"], [], number: 2))
    #expect(second == "2,2,2026-11-22T10:00:00.000Z,,,\n")
    let other = writer.lines(for: change(["c"], [[3.databaseValue]], number: 3))
    #expect(other == "change,query,time,c\n3,2,2026-11-22T10:00:00.000Z,3\n")
  }

  @Test func controlCharactersInDataAreEscaped() {
    var writer = PlainWriter(.csv, isForTerminal: true)
    let lines = writer.lines(for: change(["n\u{7}"], [["\u{1B}[2J\n".databaseValue]]))
    #expect(lines == "change,query,time,n␇\n1,2,2026-11-22T10:00:00.000Z,\"␛[2J␊\"\n")
  }

  @Test func jsonFormatWritesAnObjectPerChange() throws {
    var writer = PlainWriter(.json)
    let line = writer.lines(for: change(["n", "t", "b"], rows, isCut: true))
    #expect(line.filter { $0 == "\n" }.count == 1)
    struct Line: Decodable {
      var change: Int
      var query: Int
      var columns: [String]
      var rows: [[Value]]
      var isCut: Bool

      enum Value: Decodable, Equatable {
        case null, number(Double), text(String), blob([String: String])
        init(from decoder: any Decoder) throws {
          let container = try decoder.singleValueContainer()
          if container.decodeNil() {
            self = .null
          } else if let number = try? container.decode(Double.self) {
            self = .number(number)
          } else if let blob = try? container.decode([String: String].self) {
            self = .blob(blob)
          } else {
            self = .text(try container.decode(String.self))
          }
        }
      }
    }
    let decoded = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
    #expect(decoded.columns == ["n", "t", "b"])
    #expect(
      decoded.rows == [
        [.number(1), .text("a,\"b\"\n\u{1B}[2J"), .null], [.number(2.5), .text(""), .blob(["blob": "00ff"])],
      ])
    #expect(decoded.isCut)
  }

  @Test func allScalarsRoundTripThroughJSON() throws {
    let text = String(String.UnicodeScalarView((0...UInt32(0x2FFF)).compactMap(Unicode.Scalar.init)))
    let json = PlainJSON.string(text)
    #expect(try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8)) == [text])
    #expect(!json.unicodeScalars.contains { $0.properties.generalCategory == .control })
  }

  @Test(
    arguments: [
      ("x'00ff'", "\\x'00ff'"), ("\\x'", "\\\\x'"), ("x'", "\\x'"), ("\\\\server", "\\\\server"), ("x''y", "\\x''y"),
      ("X'00'", "X'00'"), ("ax'00'", "ax'00'"),
    ])
  func csvTextIsNotMistakenForBytes(text: String, field: String) {
    #expect(PlainCSV.field(text.databaseValue) == field)
  }

  @Test func bytesAndTextDifferInEveryFormat() {
    let blob = Data([0, 255]).databaseValue
    let text = "x'00ff'".databaseValue
    #expect(PlainCSV.field(blob) == "x'00ff'")
    #expect(PlainCSV.field(text) == "\\x'00ff'")
    #expect(PlainJSON.value(blob) == #"{"blob":"00ff"}"#)
    #expect(PlainJSON.value(text) == #""x'00ff'""#)
  }

  @Test func infiniteNumbersAreNotText() {
    #expect(PlainJSON.value(Double.infinity.databaseValue) == #"{"real":"inf"}"#)
    #expect(PlainJSON.value(Int64.min.databaseValue) == "-9223372036854775808")
  }
}
