import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

private enum Grape: String, Codable { case chardonnay, merlot }
private enum Level: Int, Codable, DatabaseValueConvertible { case low = 1, high = 2 }
private enum Mood: Codable, Equatable { case ok, sad(Int) }
private struct Point: Codable, Equatable { var x: Int; var y: Int? }
private struct Ean: Codable, DatabaseValueConvertible { var group: Int; var title: Int }
private struct Wrapped: Codable {
  var date: Date
  init(date: Date) { self.date = date }
  init(from decoder: any Decoder) throws { date = try decoder.singleValueContainer().decode(Date.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(date)
  }
}

/// The stored columns of records.
@Suite struct EncodableRecordTests {
  @Test func recordsEncodeTheirValues() throws {
    struct Player: EncodableRecord {
      func encode(to container: inout PersistenceContainer) {
        container["id"] = 1
        container[Column("name")] = "Arthur"
        container["score"] = nil as Int?
      }
    }
    #expect(try columns(of: Player()) == #"id=1 name="Arthur" score=NULL"#)
    #expect(try Player().databaseDictionary == ["id": 1.databaseValue, "name": "Arthur".databaseValue, "score": .null])
  }

  @Test func valuesAreStoredAsThemselves() throws {
    struct Everything: Encodable, EncodableRecord {
      var bool = true
      var int = 1
      var int8: Int8 = -8
      var uint64: UInt64 = 64
      var float: Float = 0.5
      var double = 1.5
      var string = "s"
      var date = Date(timeIntervalSince1970: 0)
      var data = Data([1, 2])
      var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
      var url = URL(string: "https://a.b/c")
      var decimal = Decimal(string: "1.2")
      var level = Level.high
      var grape = Grape.merlot
      var ean = Ean(group: 1, title: 2)
      var wrapped = Wrapped(date: Date(timeIntervalSince1970: 0.5))
    }
    #expect(
      try columns(of: Everything()) == """
        bool=1 int=1 int8=-8 uint64=64 float=0.5 double=1.5 string="s" date="1970-01-01 00:00:00.000" \
        data=Data(2 bytes) uuid=Data(16 bytes) url="https://a.b/c" decimal="1.2" level=2 grape="merlot" \
        ean="{\\"group\\":1,\\"title\\":2}" wrapped="1970-01-01 00:00:00.500"
        """)
  }

  @Test func otherTypesAreStoredAsJSON() throws {
    struct Everything: Encodable, EncodableRecord {
      var array = ["b", "a/é\""]
      var dictionary = ["b": 1, "a": 2]
      var point = Point(x: 1)
      var mood = Mood.sad(2)
      var ok = Mood.ok
      var empty: [Int] = []
      var nothing: [String: Int] = [:]
      var optional: Point? = Point(x: 1, y: 2)
      var nested = [[Date(timeIntervalSince1970: 0.5)]]
      var big: Int128 = 1
    }
    let stored = try Everything().databaseDictionary.mapValues { String.fromDatabaseValue($0) ?? "no text" }
    #expect(
      stored == [
        "array": #"["b","a\/é\""]"#, "dictionary": #"{"a":2,"b":1}"#, "point": #"{"x":1}"#,
        "mood": #"{"sad":{"_0":2}}"#,
        "ok": #"{"ok":{}}"#, "empty": "[]", "nothing": "{}", "optional": #"{"x":1,"y":2}"#, "nested": "[[500]]",
        "big": "1",
      ])
  }

  @Test func nilIsStoredAsNull() throws {
    struct Nils: Encodable, EncodableRecord {
      var int: Int?
      var date: Date?
      var uuid: UUID?
      var point: Point?
      var array: [Int]?
      var grape: Grape?
    }
    #expect(try columns(of: Nils()) == "int=NULL date=NULL uuid=NULL point=NULL array=NULL grape=NULL")
  }

  @Test func optionalsAreEncodedLikeTheirWrappedValue() throws {
    struct ByHand: Encodable, EncodableRecord {
      enum Key: String, CodingKey { case date, none, point, noPoint, int }
      static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(Date(timeIntervalSince1970: 5) as Date?, forKey: .date)
        try container.encode(nil as Date?, forKey: .none)
        try container.encode(Point(x: 1) as Point?, forKey: .point)
        try container.encode(nil as Point?, forKey: .noPoint)
        try container.encode(3 as Int?, forKey: .int)
      }
    }
    #expect(try columns(of: ByHand()) == #"date=5 none=NULL point="{\"x\":1}" noPoint=NULL int=3"#)
  }

  @Test func propertiesWithoutCodingKeyAreNotStored() throws {
    struct Player: Encodable, EncodableRecord {
      var id = 1
      var isSelected = true
      enum CodingKeys: String, CodingKey { case id = "player_id" }
    }
    #expect(try columns(of: Player()) == "player_id=1")
  }

  @Test func userInfoReachesAllEncoders() throws {
    struct Marked: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(encoder.userInfo[EncodableRecordTests.mark] as? String ?? "none")
      }
    }
    struct Player: Encodable, EncodableRecord {
      static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [EncodableRecordTests.mark: "yes"] }
      enum Key: String, CodingKey { case own, nested }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(encoder.userInfo[EncodableRecordTests.mark] as? String, forKey: .own)
        try container.encode(Marked(), forKey: .nested)
      }
    }
    #expect(try columns(of: Player()) == #"own="yes" nested="[\"yes\"]""#)
  }

  static let mark = CodingUserInfoKey(rawValue: "mark").unsafelyUnwrapped

  // MARK: - Classes and other ways to encode

  private class Base: Encodable, EncodableRecord {
    var id = 1
  }

  private final class Derived: Base {
    var name = "n"
    enum Key: String, CodingKey { case name }
    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(name, forKey: .name)
    }
  }

  private final class WithSuperEncoder: Base {
    enum Key: String, CodingKey { case name, base }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode("n", forKey: .name)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func subclassesStoreTheirSuperclass() throws {
    #expect(try columns(of: Derived()) == #"id=1 name="n""#)
    #expect(try columns(of: WithSuperEncoder()) == #"name="n" id=1"#)
  }

  @Test func recordsCanAddColumns() throws {
    struct Player: Encodable, EncodableRecord {
      var id = 1
      var ignored = 2
      func encode(to container: inout PersistenceContainer) throws {
        container["first"] = 0
        try PlayerColumns(id: id).encode(to: &container)
        container["last"] = 9
      }
    }
    struct PlayerColumns: Encodable, EncodableRecord { var id: Int }
    #expect(try columns(of: Player()) == "first=0 id=1 last=9")
  }

  @Test func recordsCanEncodeAsAnotherType() throws {
    struct Inner: Encodable { var id = 1 }
    struct Outer: Encodable, EncodableRecord {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Inner())
      }
    }
    #expect(try columns(of: Outer()) == "id=1")
  }

  private struct Unkeyed: Encodable, EncodableRecord {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(1)
    }
  }

  private struct Single<Value: Encodable>: Encodable, EncodableRecord {
    var value: Value
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  private struct Nested: Encodable, EncodableRecord {
    enum Key: String, CodingKey { case a, b }
    var isKeyed: Bool
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      if isKeyed {
        var nested = container.nestedContainer(keyedBy: Key.self, forKey: .a)
        try nested.encode(1, forKey: .b)
      } else {
        var nested = container.nestedUnkeyedContainer(forKey: .a)
        try nested.encode(1)
      }
    }
  }

  @Test func recordsWithoutKeysAreRefused() {
    #expect(errorText { try columns(of: Unkeyed()) }.contains("unkeyed encoding is not supported"))
    #expect(errorText { try columns(of: Single(value: 1)) }.contains("single value encoding is not supported"))
    #expect(errorText { try columns(of: Single(value: 1 as Int?)) }.contains("single value encoding is not supported"))
    #expect(
      errorText { try columns(of: Single(value: 1 as Int128)) }.contains("single value encoding is not supported"))
    #expect(errorText { try columns(of: Nested(isKeyed: true)) }.contains("a record has no nested containers"))
    #expect(errorText { try columns(of: Nested(isKeyed: false)) }.contains("a record has no nested containers"))
  }

  @Test func encodingErrorsAreThrown() {
    struct Player: Encodable, EncodableRecord {
      var id = 1
      var values = [Double.infinity]
    }
    #expect(throws: EncodingError.self) { try Player().databaseDictionary }
    #expect(!Player().databaseEquals(Player()))
  }

  @Test func recordsThatEncodeAnotherRecordStoreItsColumns() throws {
    struct Point: Codable, EncodableRecord {
      var x = 1
      func encode(to container: inout PersistenceContainer) { container["longitude"] = x }
    }
    struct Place: Encodable, EncodableRecord {
      var point = Point()
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(point)
      }
    }
    #expect(try columns(of: Place()) == "longitude=1")
  }
}
