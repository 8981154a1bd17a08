import Foundation
import Testing

@testable import TidemarkEssentials

@Suite struct ChangeCodingTests {
  private static let rounds = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1" ? 100_000 : 5_000

  // MARK: - The format

  @Test func `the bytes of a transaction are those of the documented example`() {
    #expect(Self.example.encoded() == Self.exampleBytes)
  }

  @Test func `the documented example is decoded`() throws {
    #expect(try TransactionChanges(decoding: Self.exampleBytes) == Self.example)
  }

  private static let player = ChangedTable(
    name: "player", columnNames: ["id", "name", "score"], primaryKey: [0], rowID: .primaryKey)

  // Computed: the leak sanitizer does not see a reference in whose spare bits Swift stores a case.
  private static var example: TransactionChanges {
    TransactionChanges(
      versions: DatabaseVersion(7)...DatabaseVersion(7), microsecondsSince1970: 100,
      elements: [
        .row(ChangedRow(table: player, images: .insert(image(1, "Ada", .int64(300))))),
        .row(
          ChangedRow(
            table: player, images: .update(old: image(1, "Ada", .int64(300)), new: image(1, "Ada", .double(1.5))))),
      ])
  }

  private static func image(_ id: Int64, _ name: String, _ score: DatabaseValue.Storage) -> ChangedRow.Image {
    ChangedRow.Image(rowID: id, values: [id.databaseValue, name.databaseValue, DatabaseValue(score)])
  }

  private static let exampleBytes: [UInt8] =
    [1, 8, 0, 0xc8, 0x01, 0, 0]  // format 1, version 7 only, 100 µs, complete, not continued
    + [1, 4] + Array("main".utf8) + [6] + Array("player".utf8) + [2]  // table; its row ID is its primary key
    + [3, 2] + Array("id".utf8) + [4] + Array("name".utf8) + [5] + Array("score".utf8) + [1, 0]  // columns, primary key
    + [2, 0, 2] + [3 << 3 | 3] + Array("Ada".utf8) + [2 << 3 | 1, 0x2c, 0x01]  // insert; row ID 1; "Ada"; 300
    + [3, 0, 2] + [3 << 3 | 3] + Array("Ada".utf8) + [2 << 3 | 1, 0x2c, 0x01]  // update; the old values
    + [0b100, 2, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]  // the third column has changed: 1.5

  @Test func `an empty value may have no address`() {
    var writer = ByteWriter()
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    writer.write(upTo: 20) { cursor in
      cursor.append(BorrowedValue.text(empty))
      cursor.append(BorrowedValue.blob(empty))
    }
    #expect(writer.bytes == [3, 4])
  }

  @Test(arguments: [
    (0, 0), (1, 1), (-1, 1), (127, 1), (128, 2), (-128, 1), (-129, 2), (32_767, 2), (Int64.max, 8), (Int64.min, 8),
  ])
  func `an integer has as few bytes as possible`(integer: Int64, count: Int) {
    var writer = ByteWriter()
    writer.append(DatabaseValue(.int64(integer)))
    #expect(writer.bytes.count == 1 + count)
  }

  @Test func `a table is described once, before its first change`() {
    let one = Self.example.encoded()
    var two = Self.example
    two.elements += two.elements
    // The changes of the example need 30 bytes.
    #expect(two.encoded().count == one.count + 30)
  }

  @Test func `columns with canonically equivalent names are different columns`() throws {
    let tables = ["é", "e\u{301}"].map { ChangedTable(name: "t", columnNames: [$0], primaryKey: []) }
    let changes = TransactionChanges(
      microsecondsSince1970: 0,
      elements: tables.map { table in
        .row(ChangedRow(table: table, images: .insert(ChangedRow.Image(rowID: 1, values: [.null]))))
      })
    let decoded = try TransactionChanges(decoding: changes.encoded())
    let names = decoded.rows.map { $0.table.columnNames[0] }
    #expect(names.map { Array($0.utf8) } == [[0xc3, 0xa9], [0x65, 0xcc, 0x81]])
  }

  @Test func `a notification has its channel and its payload, and a flag in the head`() throws {
    let changes = TransactionChanges(
      microsecondsSince1970: 0, isContinued: true, elements: [.notification(channel: "a", payload: "é")])
    let bytes: [UInt8] = [1, 0, 0, 0, 3, 10, 1, 0x61, 2, 0xc3, 0xa9]
    #expect(changes.encoded() == bytes)
    #expect(try TransactionChanges(decoding: bytes) == changes)
  }

  @Test func `the head of random changes says whether there are notifications`() {
    var changes = RandomChanges(random: SeededRandom())
    for _ in 0..<Self.rounds / 10 {
      let transaction = changes.next()
      let hasNotifications = transaction.elements.contains { $0.isNotification }
      #expect(TransactionChanges.mayHaveNotifications(encoded: transaction.encoded()) == hasNotifications)
    }
  }

  @Test func `malformed changes may have notifications`() {
    #expect(TransactionChanges.mayHaveNotifications(encoded: [1, 0, 0]))
  }

  @Test func `changes in an unknown format may have notifications`() {
    #expect(TransactionChanges.mayHaveNotifications(encoded: [2, 0, 0, 0, 0]))
    #expect(!TransactionChanges.mayHaveNotifications(encoded: [1, 0, 0, 0, 0]))
  }

  @Test(
    arguments: [
      (exampleBytes, 100), ([1, 0, 3], -2), ([2, 0, 3], nil), ([1, 0], nil), ([1, 3, 3, 0], nil), ([], nil),
    ] as [([UInt8], Int64?)])
  func `the time is read from the first bytes`(bytes: [UInt8], time: Int64?) {
    #expect(bytes.withUnsafeBytes { TransactionChanges.microsecondsSince1970(ofEncoded: $0) } == time)
  }

  @Test func `a table that is described like the last one is the same object`() throws {
    let other = TransactionChanges(
      microsecondsSince1970: 0,
      elements: [
        .row(
          ChangedRow(
            table: ChangedTable(name: "team", columnNames: ["id"], primaryKey: [0], rowID: .primaryKey),
            images: .insert(ChangedRow.Image(rowID: 1, values: [1.databaseValue]))))
      ])
    var tables = TransactionChanges.DecodedTables()
    func decode(_ bytes: [UInt8]) throws -> ChangedTable? {
      try bytes.withUnsafeBytes { try TransactionChanges($0, &tables) }.rows.first?.table
    }
    let first = try decode(Self.exampleBytes)
    let second = try decode(Self.exampleBytes)
    #expect(first != nil && first === second)
    let third = try decode(other.encoded())
    #expect(third?.name == "team")
    #expect(try decode(other.encoded()) === third)
  }

  @Test func `changes do not know the tables of the changes that were decoded before`() throws {
    var tables = TransactionChanges.DecodedTables()
    func decode(_ bytes: [UInt8]) throws -> TransactionChanges {
      try bytes.withUnsafeBytes { try TransactionChanges($0, &tables) }
    }
    _ = try decode(Self.exampleBytes)
    // Head, and the deletion of row 1 of a table that is not described.
    #expect(throws: TransactionChanges.DecodingError(message: "index is out of bounds", offset: 7)) {
      try decode([1, 0, 0, 0, 0, 4, 0, 2])
    }
    // The description of a table, and no change.
    let deletion = TransactionChanges(
      microsecondsSince1970: 0,
      elements: [.row(ChangedRow(table: Self.player, images: .delete(Self.image(1, "Ada", .null))))])
    let bytes = deletion.encoded()
    #expect(throws: TransactionChanges.DecodingError(message: "table without changes", offset: bytes.count - 8)) {
      try decode(Array(bytes.dropLast(8)))
    }
    #expect(try decode(bytes) == deletion)
  }

  @Test func `a NaN, which SQLite cannot store, is NULL`() throws {
    let changes = TransactionChanges(
      microsecondsSince1970: 0,
      elements: [.row(ChangedRow(table: Self.player, images: .insert(Self.image(1, "Ada", .double(.nan)))))])
    #expect(try TransactionChanges(decoding: changes.encoded()).rows.first?.newValues?[2].isNull == true)
  }

  // MARK: - Malformed bytes

  @Test(arguments: [
    Malformed(bytes: [], message: "unexpected end"),
    Malformed(bytes: [2, 0, 0, 0], message: "unknown version of the format"),
    Malformed(bytes: [1, 0x80, 0, 0, 0], message: "number has superfluous bytes"),
    Malformed(
      bytes: [1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0], message: "number is too large"),
    Malformed(bytes: [1, 3, 3, 0, 0, 0], message: "the first version is negative"),
    Malformed(bytes: [1, 0, 0, 9], message: "unknown reason"),
    Malformed(bytes: [1, 0, 0, 0, 4], message: "unknown flags"),
    Malformed(bytes: [1, 0, 0, 0, 2], message: "wrong flag of notifications"),
    Malformed(bytes: [1, 0, 0, 0, 0, 10, 0, 0], message: "wrong flag of notifications"),
    Malformed(bytes: [1, 0, 0, 0, 2, 10, 0], message: "unexpected end"),
    Malformed(bytes: [1, 0, 0, 0, 0, 77], message: "unknown kind of a change"),
    Malformed(bytes: [1, 0, 0, 0, 0, 6, 200, 1, 65], message: "length exceeds the bytes"),
    Malformed(bytes: [1, 0, 0, 0, 0, 6, 1, 0xff], message: "text is not UTF-8"),
    Malformed(bytes: [1, 0, 0, 0, 0, 9, 0, 0x80, 0x80, 0x80, 0x80, 0x10], message: "version is too large"),
    Malformed(bytes: [1, 0, 0, 0, 0, 2, 0], message: "index is out of bounds"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 3], message: "unknown kind of a row ID"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0], message: "impossible primary key"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0], message: "impossible primary key"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1], message: "index is out of bounds"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0], message: "table without changes"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 6, 0], message: "table without changes"),
    Malformed(
      bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0], message: "table is described twice"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0, 9, 0], message: "INTEGER has superfluous bytes"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0, 73], message: "INTEGER is too long"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0, 8], message: "NULL has a length"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0, 10], message: "REAL has a length"),
    Malformed(
      bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f],
      message: "REAL is not a number"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 0, 0, 5], message: "unknown type of a value"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 3, 0, 0, 0, 4], message: "unused bits are set"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 3, 0, 0, 0, 1, 0], message: "unchanged value"),
    Malformed(bytes: [1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 3, 0, 0, 0, 2, 0], message: "unchanged row ID"),
  ])
  fileprivate func `malformed bytes are an error`(malformed: Malformed) {
    let error = #expect(throws: TransactionChanges.DecodingError.self) {
      try TransactionChanges(decoding: malformed.bytes)
    }
    #expect(error?.message == malformed.message)
  }

  @Test func `an error names the position of the malformed byte`() {
    let error = #expect(throws: TransactionChanges.DecodingError.self) {
      try TransactionChanges(decoding: [1, 0, 0, 9])
    }
    #expect(error?.description == "malformed changes at byte 4: unknown reason")
  }

  // MARK: - Random changes

  @Test func `random changes are decoded as they were encoded`() throws {
    var changes = RandomChanges(random: SeededRandom())
    for _ in 0..<Self.rounds {
      let transaction = changes.next()
      let bytes = transaction.encoded()
      let decoded = try TransactionChanges(decoding: bytes)
      guard decoded == transaction, decoded.encoded() == bytes else {
        Issue.record("\(transaction)\n\(bytes)")
        return
      }
    }
  }

  @Test func `each prefix of changes is an error, or the bytes of fewer changes`() throws {
    var changes = RandomChanges(random: SeededRandom())
    for _ in 0..<Self.rounds / 50 {
      let bytes = changes.next().encoded()
      for count in bytes.indices {
        let prefix = Array(bytes[..<count])
        guard let decoded = try? TransactionChanges(decoding: prefix) else { continue }  // Why: an error is expected.
        #expect(decoded.encoded() == prefix)
      }
    }
  }
}

/// Bytes that are not the bytes of any changes, and the message of the error.
private struct Malformed: Sendable, CustomTestStringConvertible {
  let bytes: [UInt8]
  let message: String
  var testDescription: String { "\(message): \(bytes)" }
}
