import CSQLite
import SQLiteDB
import Testing

import struct Tidemark.Configuration
import class Tidemark.Database
import class Tidemark.DatabaseQueue
import protocol Tidemark.FTS5CustomTokenizer
import typealias Tidemark.FTS5TokenCallback
import struct Tidemark.FTS5Tokenization

/// Splits at semicolons.
private final class FieldTokenizer: FTS5CustomTokenizer {
  static let name = "field"

  init(db: Database, arguments: [String]) {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let pText else { return SQLITE_OK }
    var start: CInt = 0
    for end in 0...nText where end == nText || UInt8(bitPattern: pText[Int(end)]) == UInt8(ascii: ";") {
      let code = tokenCallback(context, 0, pText + Int(start), end - start, start, end)
      if code != SQLITE_OK { return code }
      start = end + 1
    }
    return SQLITE_OK
  }
}

@Suite struct CustomTokenizerTests {
  @Test func `a connection uses the tokenizers of its database`() throws {
    let path = ":memory:"
    let notes = VirtualTable("notes")
    let text = SQLExpression<String>("text")

    var configuration = Configuration()
    configuration.prepareDatabase { db in db.add(tokenizer: FieldTokenizer.self) }
    let db = Connection(try DatabaseQueue(path: path, configuration: configuration))
    try db.run(notes.create(.FTS5(FTS5Config().column(text).tokenizer(.Custom("field")))))
    try db.run(notes.insert(text <- "red wine;bread"))
    #expect(try db.scalar(notes.match("\"red wine\"").count) == 1)
    #expect(try db.scalar(notes.match("wine").count) == 0)
  }
}
