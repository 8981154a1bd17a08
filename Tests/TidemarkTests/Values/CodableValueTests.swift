import Foundation
import Testing
import Tidemark

private struct Color: Codable, Equatable, DatabaseValueConvertible {
  var r: Double
  var g: Double
  var b: Double?
}

private struct Everything: Codable, Equatable, DatabaseValueConvertible {
  var date: Date
  var data: Data
  var path: String
  var nothing: Int?
  var list: [Int]
}

private enum Shape: Codable, Equatable, DatabaseValueConvertible {
  case point
  case circle(radius: Double)
}

private struct Nothing: Codable, Equatable, DatabaseValueConvertible {}

/// A value that is coded as its only property.
private struct Wrapper<Value: Codable & Equatable>: Codable, Equatable, DatabaseValueConvertible {
  var value: Value

  init(_ value: Value) { self.value = value }

  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

private struct Plain: Codable, Equatable {
  var a: Int
}

/// An integer, a text, or an object.
private enum Loose: Codable, Equatable, DatabaseValueConvertible {
  case integer(Int)
  case object([String: Int])
  case nothing

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .nothing
    } else if let integer = try? container.decode(Int.self) {
      self = .integer(integer)
    } else if let object = try? container.decode([String: Int].self) {
      self = .object(object)
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither integer nor object")
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .integer(let integer): try container.encode(integer)
    case .object(let object): try container.encode(object)
    case .nothing: try container.encodeNil()
    }
  }
}

private enum Grape: String, Codable, DatabaseValueConvertible { case chardonnay, merlot, riesling }

private struct Score: RawRepresentable, Codable, Equatable, DatabaseValueConvertible { var rawValue: Int }

private struct Topic<RawValue>: RawRepresentable { var rawValue: RawValue }
extension Topic: Codable where RawValue: Codable {}
extension Topic: SQLExpressible where RawValue: SQLExpressible {}
extension Topic: StatementBinding where RawValue: StatementBinding {}
extension Topic: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}

private final class Point: Codable, DatabaseValueConvertible {
  var x = 0
}

private struct Seconds: Codable, Equatable, DatabaseValueConvertible {
  var date: Date

  static func databaseJSONEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    return encoder
  }

  static func databaseJSONDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return decoder
  }
}

@Suite struct CodableValueTests {
  // MARK: JSON

  @Test func keysAreSortedAndNilIsOmitted() throws {
    #expect(try stored(Color(r: 1, g: 0.5, b: nil)) == #"'{"g":0.5,"r":1}'"#)
    #expect(try bound(Color(r: 1, g: 0.5, b: 2)) == #"'{"b":2,"g":0.5,"r":1}'"#)
  }

  @Test func defaultsAreBase64AndMilliseconds() throws {
    let value = Everything(
      date: Date(timeIntervalSince1970: 0.5), data: Data([1, 2, 3]), path: "x/y", nothing: nil, list: [1, 2])
    #expect(try stored(value) == #"'{"data":"AQID","date":500,"list":[1,2],"path":"x\/y"}'"#)
    #expect(try roundTrip(value) == (value, value))
  }

  @Test func enumsWithPayloadsAreJSON() throws {
    #expect(try stored(Shape.point) == #"'{"point":{}}'"#)
    #expect(try stored(Shape.circle(radius: 2)) == #"'{"circle":{"radius":2}}'"#)
    #expect(try roundTrip(Shape.circle(radius: 2)) == (.circle(radius: 2), .circle(radius: 2)))
  }

  @Test func typesWithoutPropertiesAreJSON() throws {
    #expect(try stored(Nothing()) == "'{}'")
    #expect(try roundTrip(Nothing()) == (Nothing(), Nothing()))
  }

  @Test func jsonIsReadFromTextAndBlobs() throws {
    let color = Color(r: 1, g: 0.5, b: nil)
    for expression in [
      #"'{"r":1,"g":0.5}'"#, #"CAST('{"r":1,"g":0.5}' AS BLOB)"#, #"' { "g" : 0.5, "r" : 1, "x" : [] } '"#,
    ] {
      #expect(try strictly(Color.self, expression) == color)
      #expect(try fast(Color.self, expression) == color)
    }
  }

  @Test(arguments: ["''", "'{'", "'[]'", "'{\"r\":1}'", "1", "1.5", "x''", "x'ff'", "'{\"r\":\"1\",\"g\":1}'"])
  func invalidJSONIsRefused(expression: String) throws {
    #expect(try strictly(Color.self, expression) == nil)
    #expect(try fast(Color.self, expression) == nil)
  }

  @Test func nullIsNoObject() throws {
    #expect(try strictly(Color.self, "NULL") == nil)
    #expect(try DatabaseQueue().read { try Color?.fetchAll($0, sql: "SELECT NULL") } == [nil])
  }

  @Test func codersCanBeReplaced() throws {
    let value = Seconds(date: Date(timeIntervalSince1970: 0.5))
    #expect(try stored(value) == #"'{"date":0.5}'"#)
    #expect(try roundTrip(value) == (value, value))
  }

  @Test func classesAreJSON() throws {
    #expect(try stored(Point()) == #"'{"x":0}'"#)
    #expect(try roundTrip(Point()).strict?.x == 0)
  }

  @Test func unencodableValuesTrap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Color(r: .infinity, g: 0, b: nil).databaseValue
    }
    let sentence = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(sentence.contains("Color"))
    #expect(sentence.contains("inf"))
  }

  // MARK: Single values

  @Test func singleValuesAreStoredAsThemselves() throws {
    let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    #expect(try stored(Wrapper(1)) == "1")
    #expect(try stored(Wrapper(1.5)) == "1.5")
    #expect(try stored(Wrapper(true)) == "1")
    #expect(try stored(Wrapper("\"x\"")) == "'\"x\"'")
    #expect(try stored(Wrapper(Data([1]))) == "X'01'")
    #expect(try stored(Wrapper(Date(timeIntervalSince1970: 1.5))) == "'1970-01-01 00:00:01.500'")
    #expect(try stored(Wrapper(uuid)) == "X'E621E1F8C36C495A93FC0C247A3E6E5F'")
    #expect(try stored(Wrapper(URL(string: "https://ex.org/a")!)) == "'https://ex.org/a'")
    #expect(try stored(Wrapper(Decimal(string: "10.5")!)) == "'10.5'")
    #expect(try stored(Wrapper(Grape.merlot)) == "'merlot'")
    #expect(try stored(Wrapper(Wrapper(1))) == "1")
    #expect(try stored(Wrapper(Int?.none)) == "NULL")
    #expect(try stored(Wrapper(UInt8(255))) == "255")
  }

  private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
    #expect(try roundTrip(Wrapper(value)) == (Wrapper(value), Wrapper(value)))
  }

  @Test func singleValuesRoundTrip() throws {
    try expectRoundTrip(1)
    try expectRoundTrip(1.5)
    try expectRoundTrip(false)
    try expectRoundTrip("{}")
    try expectRoundTrip(Data([1]))
    try expectRoundTrip(Date(timeIntervalSince1970: 1.5))
    try expectRoundTrip(UUID())
    try expectRoundTrip(Wrapper(1))
    try expectRoundTrip(Int?.some(1))
    try expectRoundTrip(Int8.min)
    try expectRoundTrip(Int128.max)
    try expectRoundTrip(UInt128.max)
    try expectRoundTrip(Plain(a: 1))
    try expectRoundTrip([1, 2])
    try expectRoundTrip(["a": 1])
    try expectRoundTrip(Color(r: 1, g: 2, b: 3))
  }

  @Test func unsupportedSingleValuesAreJSON() throws {
    #expect(try stored(Wrapper(Plain(a: 1))) == #"'{"a":1}'"#)
    #expect(try stored(Wrapper([1, 2])) == "'[1,2]'")
    #expect(try stored(Wrapper([Int]())) == "'[]'")
  }

  @Test func mismatchedSingleValuesAreRefused() throws {
    #expect(try strictly(Wrapper<Int>.self, "'1'") == nil)
    #expect(try strictly(Wrapper<Int8>.self, "300") == nil)
    #expect(try strictly(Wrapper<String>.self, "1") == nil)
    #expect(try strictly(Wrapper<Int>.self, "NULL") == nil)
    #expect(try strictly(Wrapper<Int?>.self, "NULL") == Wrapper(nil))
  }

  @Test(arguments: [Loose.integer(1), .object(["a": 1]), .object([:])])
  fileprivate func typesCanHaveBothForms(value: Loose) throws {
    #expect(try roundTrip(value) == (value, value))
  }

  @Test func typesCanBeNull() throws {
    #expect(try stored(Loose.nothing) == "NULL")
    #expect(try strictly(Loose.self, "NULL") == .nothing)
  }

  // MARK: Raw values

  @Test func rawValueTakesPrecedence() throws {
    #expect(try stored(Grape.merlot) == "'merlot'")
    #expect(try roundTrip(Grape.merlot) == (.merlot, .merlot))
    #expect(try strictly(Grape.self, "'syrah'") == nil)
    #expect(try strictly(Grape.self, "'\"merlot\"'") == nil)
    #expect(try stored(Score(rawValue: 3)) == "3")
    #expect(try roundTrip(Score(rawValue: 3)) == (Score(rawValue: 3), Score(rawValue: 3)))
    #expect(try stored(Topic(rawValue: "a")) == "'a'")
    #expect(try strictly(Topic<String>.self, "'a'")?.rawValue == "a")
  }
}
