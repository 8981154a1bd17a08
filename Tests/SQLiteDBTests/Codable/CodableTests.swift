import Foundation
import SQLiteDB
import Testing

private struct User: Codable, Equatable {
  var name: String
  var age: Int?
}

private enum Kind: String, Codable { case png, jpg }

private struct Everything: Codable, Equatable {
  struct Sub: Codable, Equatable { var a: [Int] }
  var int = 1
  var int8 = Int8(-2)
  var int64 = Int64(3)
  var uint = UInt(4)
  var bool = true
  var float: Float = 1.5
  var double = 2.5
  var string = "s"
  var date = Date(timeIntervalSince1970: 5)
  var data = Data([1, 2])
  var uuid = UUID()
  var url = URL(string: "https://tidemark.example")!
  var kind = Kind.jpg
  var sub = Sub(a: [1, 2])
  var optional: String?
}

@Suite struct CodableTests {
  let table = Table("t")

  private func database() throws -> Connection {
    let db = try Connection()
    try db.run(
      """
      CREATE TABLE t (int, int8, int64, uint, bool, float, double, string, date, data, uuid, url, kind, sub, optional)
      """)
    return db
  }

  @Test func encodableValuesAreInserted() throws {
    #expect(sql(try users.insert(User(name: "test"))) == "INSERT INTO \"users\" (\"name\") VALUES ('test')")
    #expect(
      sql(try users.insert(User(name: "test", age: 3), otherSetters: [id <- 7]))
        == "INSERT INTO \"users\" (\"name\", \"age\", \"id\") VALUES ('test', 3, 7)")
    #expect(
      sql(try users.insert(or: .replace, encodable: User(name: "test")))
        == "INSERT OR REPLACE INTO \"users\" (\"name\") VALUES ('test')")
    #expect(
      sql(try users.upsert(User(name: "test", age: 3), onConflictOf: name))
        == "INSERT INTO \"users\" (\"name\", \"age\") VALUES ('test', 3) ON CONFLICT (\"name\") DO UPDATE SET "
        + "\"age\" = \"excluded\".\"age\"")
  }

  @Test func severalEncodableValuesAreInserted() throws {
    #expect(
      sql(try users.insertMany([User(name: "a"), User(name: "b")]))
        == "INSERT INTO \"users\" (\"name\") VALUES ('a'), ('b')")
    #expect(
      sql(try users.insertMany([User(name: "a"), User(name: "b", age: 2)]))
        == "INSERT INTO \"users\" (\"name\", \"age\") VALUES ('a', NULL), ('b', 2)")
  }

  @Test func encodableValuesAreUpdated() throws {
    #expect(
      sql(try users.filter(id == 1).update(User(name: "x"), otherSetters: [balance <- 2]))
        == "UPDATE \"users\" SET \"name\" = 'x', \"balance\" = 2.0 WHERE (\"id\" = 1)")
  }

  @Test func codableValuesRoundTrip() throws {
    let db = try database()
    let value = Everything()
    try db.run(table.insert(value))
    let loaded: [Everything] = try db.prepare(table).map { row in
      return try row.decode()
    }
    #expect(loaded == [value])
    #expect(
      sql(try table.insert(value)).hasSuffix(
        "'\(value.uuid.uuidString)', 'https://tidemark.example', 'jpg', '{\"a\":[1,2]}')"))
  }

  @Test func rowsCanBeDecodedManually() throws {
    enum ImageCodingKeys: String, CodingKey {
      case kind
    }
    enum ImageKind: Int, Codable {
      case png, jpg, heif
    }
    struct Image: Codable { var kind: ImageKind, width: Int }
    let db = try Connection()
    let images = Table("images")
    try db.run("CREATE TABLE images (kind INTEGER, width INTEGER)")
    try db.run(images.insert(Image(kind: .heif, width: 3)))
    #expect(try db.scalar("SELECT kind FROM images") as? Int64 == 2)
    let loaded: [String] = try db.prepare(images).map { row in
      let decoder = row.decoder()
      let container = try decoder.container(keyedBy: ImageCodingKeys.self)
      switch try container.decode(ImageKind.self, forKey: .kind) {
      case .png: return "png"
      case .jpg: return "jpg"
      case .heif: return "heif \(try Image(from: decoder).width)"
      }
    }
    #expect(loaded == ["heif 3"])
  }

  @Test func nestedValuesAreStoredAsJSON() throws {
    struct File: Codable { var kind: Kind }
    let db = try Connection()
    try db.execute("CREATE TABLE t (kind); INSERT INTO t VALUES ('jpg'), ('\"png\"')")
    let files: [File] = try db.prepare(table).map { try $0.decode() }
    #expect(files.map(\.kind) == [.jpg, .png])
  }

  @Test func userInfoReachesTheCoders() throws {
    let key = CodingUserInfoKey(rawValue: "key")!
    struct Inner: Decodable {
      var told: String?
      init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: NoKeys.self)
        told = decoder.userInfo[CodingUserInfoKey(rawValue: "key")!] as? String
      }
      enum NoKeys: CodingKey {}
    }
    struct Outer: Decodable { var inner: Inner }
    let db = try Connection()
    try db.execute("CREATE TABLE t (\"inner\"); INSERT INTO t VALUES ('{}')")
    let outer: Outer = try #require(try db.pluck(table)).decode(userInfo: [key: "x"])
    #expect(outer.inner.told == "x")
    #expect(try #require(try db.pluck(table)).decoder(userInfo: [key: "x"]).userInfo[key] as? String == "x")
  }

  @Test func mismatchedTypesThrow() throws {
    let db = try Connection()
    try db.execute("CREATE TABLE t (name, age); INSERT INTO t VALUES ('x', 'abc'), (NULL, 1), ('x', NULL)")
    let rows = Array(try db.prepare(table))
    #expect(throws: DecodingError.self) { try rows[0].decode() as User }
    #expect(throws: DecodingError.self) { try rows[1].decode() as User }
    #expect(try rows[2].decode() == User(name: "x"))
    let row = try #require(try db.prepareRowIterator("SELECT 1 AS age").failableNext())
    #expect(throws: DecodingError.self) { try row.decode() as User }
  }

  @Test(arguments: [
    ("SELECT 'x' AS day", "day"), ("SELECT '2024-01-01' AS day, 'x' AS key", "key"),
    ("SELECT '2024-01-01' AS day, '[' AS list", "list"), ("SELECT '2024-01-01' AS day, '[1, \"a\"]' AS list", "list.1"),
  ])
  func `a decoding error contains the column`(_ query: String, _ path: String) throws {
    struct Event: Decodable {
      var day: Date
      var key: UUID?
      var list: [Int]?
    }
    let row = try #require(try Connection().prepareRowIterator(query).failableNext())
    let error = #expect(throws: DecodingError.self) { try row.decode() as Event }
    #expect(error?.path == path)
  }

  @Test func `a decimal is read from a numeric column`() throws {
    struct Price: Codable, Equatable { var amount: Decimal }
    let db = try Connection()
    try db.execute("CREATE TABLE t (amount NUMERIC)")
    for amount in [Decimal(7), Decimal(string: "-1.25")!] {
      try db.run(table.delete())
      try db.run(table.insert(Price(amount: amount)))
      #expect(try #require(try db.pluck(table)).decode() as Price == Price(amount: amount))
    }
    let row = try #require(try db.prepareRowIterator("SELECT 9e999 AS amount").failableNext())
    #expect(throws: DecodingError.self) { try row.decode() as Price }
  }

  @Test func `a type that encodes itself as NULL is decoded from NULL`() throws {
    struct Choice: Codable, Equatable {
      var value: Int?
      init(_ value: Int?) { self.value = value }
      init(from decoder: any Decoder) throws { value = try Int?(from: decoder) }
      func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }
    struct Answer: Codable, Equatable { var choice: Choice }
    let db = try Connection()
    try db.execute("CREATE TABLE t (choice)")
    try db.run(table.insertMany([Answer(choice: Choice(nil)), Answer(choice: Choice(2))]))
    let answers: [Answer] = try db.prepare(table).map { try $0.decode() }
    #expect(answers.map(\.choice.value) == [nil, 2])
  }

  @Test func unsupportedContainersThrow() throws {
    #expect(throws: EncodingError.self) { try users.insert([1, 2]) }
    #expect(throws: EncodingError.self) { try users.insert(3) }
    struct Nested: Encodable {
      enum Keys: CodingKey { case a, b }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var inner = container.nestedContainer(keyedBy: Keys.self, forKey: .a)
        try inner.encode(1, forKey: .b)
      }
    }
    struct Super: Encodable {
      enum Keys: CodingKey { case a }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        _ = container.superEncoder()
      }
    }
    #expect(throws: EncodingError.self) { try users.insert(Nested()) }
    #expect(throws: EncodingError.self) { try users.insert(Super()) }
    struct Big: Encodable { var a = UInt64.max }
    #expect(throws: EncodingError.self) { try users.insert(Big()) }
    let db = try database()
    try db.run(table.insert())
    let row = try #require(try db.pluck(table))
    #expect(throws: DecodingError.self) { try row.decode() as [Int] }
    #expect(throws: DecodingError.self) { try row.decode() as Int }
  }

  @Test func allKeysListsTheColumns() throws {
    struct Keys: Decodable {
      struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      var keys: [String]
      init(from decoder: any Decoder) throws {
        keys = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
      }
    }
    let db = try Connection()
    try db.execute("CREATE TABLE t (a, \"b c\"); INSERT INTO t VALUES (1, 2)")
    let keys: Keys = try #require(try db.pluck(table)).decode()
    #expect(keys.keys == ["a", "b c"])
  }
}

@Suite struct CustomTypeTests {
  struct Picture: Value {
    var pixels: [UInt8]

    static var declaredDatatype: String { Blob.declaredDatatype }
    static func fromDatatypeValue(_ blobValue: Blob) -> Picture { Picture(pixels: blobValue.bytes) }
    var datatypeValue: Blob { Blob(bytes: pixels) }
  }

  struct Broken: Value {
    struct Failure: Error {}
    static var declaredDatatype: String { Blob.declaredDatatype }
    static func fromDatatypeValue(_ datatypeValue: Blob) throws -> Data { throw Failure() }
    var datatypeValue: Blob { Blob(bytes: []) }
  }

  @Test func imageValuesRoundTrip() throws {
    let db = try Connection()
    let picture = SQLExpression<Picture?>("picture"), table = Table("t")
    try db.run(table.create { t in t.column(picture) })
    try db.run(table.insertMany([[picture <- Picture(pixels: [1, 2])], [picture <- nil]]))
    #expect(try db.prepare(table).map { $0[picture]?.pixels } == [[1, 2], nil])
  }

  @Test func invalidJSONThrows() throws {
    let db = try Connection()
    try db.execute("CREATE TABLE t (a); INSERT INTO t VALUES (x'00')")
    let row = try #require(try db.pluck(Table("t")))
    #expect(throws: Broken.Failure.self) { try row.get(SQLExpression<Broken>("a")) }
  }

  final class Animal: Value {
    let name: String
    init(_ name: String) { self.name = name }
    static var declaredDatatype: String { String.declaredDatatype }
    static func fromDatatypeValue(_ datatypeValue: String) -> Animal { Animal(datatypeValue) }
    var datatypeValue: String { name }
  }

  @Test func subclassesRoundTrip() throws {
    let db = try Connection()
    let animal = SQLExpression<Animal>("animal")
    try db.run(Table("t").create { t in t.column(animal) })
    try db.run(Table("t").insert(animal <- Animal("cat")))
    #expect(try db.pluck(Table("t").filter(animal == Animal("cat")))?[animal].name == "cat")
  }
}

extension DecodingError {
  /// The coding path, with an index for an array element.
  fileprivate var path: String {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    @unknown default: ""
    }
  }
}
