import CSQLite
import CTokenizers
import Foundation
import Tidemark

private let documentCount = 100_000

/// Documents that are indexed by tokenizers in Swift, and by the same tokenizers in C. Both sides execute the same
/// statement through the same function: only the tokenizers differ.
func fullText(_ folder: BenchmarkFolder) throws -> [Workload] {
  let databases = FullTextDatabases(folder)
  func workload(_ name: String, _ target: Double?, tokenizer: String) -> Workload {
    let bare = Workload.Side(name: "C: \(tokenizer)") { try index(databases.bare, tokenizer) }
    let library = Workload.Side(name: "Swift: \(tokenizer)") { try index(databases.library, tokenizer) }
    return Workload(
      name: "full text: \(name)", target: target, count: documentCount, bare: bare, library: library,
      prepare: databases.make)
  }
  return [
    workload("index 100,000 documents", 1.5, tokenizer: "words"),
    workload("index 100,000 documents, wrapper tokenizer", nil, tokenizer: "stopped"),
  ]
}

private func index(_ dbQueue: DatabaseQueue, _ tokenizer: String) throws {
  try dbQueue.write { db in
    try db.execute(
      sql: """
        CREATE VIRTUAL TABLE search USING fts5(content, tokenize='\(tokenizer)');
        INSERT INTO search SELECT content FROM document;
        """)
    let found = try Int.fetchOne(db, sql: "SELECT count(*) FROM search WHERE search MATCH 'document AND 77'") ?? 0
    precondition(found > 0 && found < documentCount, "\(found) documents were found")
    try db.execute(sql: "DROP TABLE search")
  }
}

/// A database for each side, with the documents.
private final class FullTextDatabases {
  private let folder: BenchmarkFolder
  private var made: (library: DatabaseQueue, bare: DatabaseQueue)?

  var library: DatabaseQueue { get throws { try both().library } }
  var bare: DatabaseQueue { get throws { try both().bare } }

  init(_ folder: BenchmarkFolder) {
    self.folder = folder
  }

  func make() throws { _ = try both() }

  private func both() throws -> (library: DatabaseQueue, bare: DatabaseQueue) {
    if let made { return made }
    let library = try queue("fulltext-library.sqlite") { db in
      db.add(tokenizer: WordTokenizer.self)
      db.add(tokenizer: StoppedTokenizer.self)
    }
    let bare = try queue("fulltext-bare.sqlite") { db in
      let code = bench_add_tokenizers(db.sqliteConnection)
      if code != SQLITE_OK { throw BareError(code: code) }
    }
    made = (library, bare)
    return (library, bare)
  }

  private func queue(
    _ name: String, _ addTokenizers: @escaping @Sendable (Database) throws -> Void
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase(addTokenizers)
    let dbQueue = try DatabaseQueue(path: folder.path(name), configuration: configuration)
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE document (id INTEGER PRIMARY KEY, content TEXT)")
      let statement = try db.makeStatement(sql: "INSERT INTO document (content) VALUES (?)")
      var state: UInt64 = 1
      for number in 0..<documentCount {
        let words = (0..<30).map { _ -> String in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return Self.vocabulary[Int(state >> 33) % Self.vocabulary.count]
        }
        try statement.execute(arguments: ["Document \(number % 1000): \(words.joined(separator: " "))."])
      }
    }
    return dbQueue
  }

  private static let vocabulary =
    ["the", "of", "and", "a", "to", "in"]
    + (0..<2_000).map { number in
      var rest = number * 7919 + 12_345
      return String(
        (0..<(4 + number % 7)).map { _ in
          defer { rest = rest / 3 + 17 }
          return Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(rest % 26)))
        })
    }
}

/// Splits texts into lower-case ASCII words.
private final class WordTokenizer: FTS5CustomTokenizer {
  static let name = "words"

  private static let longestWord = 64
  private let word = UnsafeMutablePointer<CChar>.allocate(capacity: longestWord)

  init(db: Database, arguments: [String]) {}

  deinit { word.deallocate() }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    guard let pText else { return SQLITE_OK }
    let text = UnsafeRawBufferPointer(start: pText, count: Int(nText))
    var index = 0
    while index < text.count {
      while index < text.count, !Self.isWordByte(text[index]) { index += 1 }
      let start = index
      var length = 0
      while index < text.count, Self.isWordByte(text[index]) {
        let byte = text[index]
        index += 1
        if length < Self.longestWord {
          word[length] = CChar(bitPattern: (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte)
          length += 1
        }
      }
      if length == 0 { break }
      let code = tokenCallback(context, 0, word, CInt(length), CInt(start), CInt(index))
      if code != SQLITE_OK { return code }
    }
    return SQLITE_OK
  }
}

/// Omits some words.
private final class StoppedTokenizer: FTS5WrapperTokenizer {
  static let name = "stopped"
  let wrappedTokenizer: any FTS5Tokenizer
  private let stopWords: Set<String> = ["the", "of", "and", "a", "to", "in"]

  init(db: Database, arguments: [String]) {
    wrappedTokenizer = WordTokenizer(db: db, arguments: [])
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    if !stopWords.contains(token) { try tokenCallback(token, flags) }
  }
}
