import CSQLite
import Foundation
import Testing
import Tidemark

/// Random texts and bytes in patterns and tokenizers: no call traps, and failures are errors of SQLite.
@Suite struct FullTextFuzzTests {
  private static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"
  private static let rounds = isFull ? 20_000 : 200

  @Test func `random patterns are valid, or errors`() throws {
    var random = SeededRandom()
    var (valid, invalid) = (0, 0)
    try inDocuments { db in
      for _ in 0..<Self.rounds {
        let text = Self.pattern(&random)
        let columns = Bool.random(using: &random) ? ["title", "body"] : []
        do {
          let pattern = try FTS5Pattern(rawPattern: text, allowedColumns: columns)
          if !columns.isEmpty { try expectResult(of: pattern, "doc5", db) }
          valid += 1
        } catch let error as DatabaseError {
          #expect(error.resultCode == .SQLITE_ERROR, "\(text)")
          invalid += 1
        }
        do {
          try expectResult(of: FTS3Pattern(rawPattern: text), "doc4", db)
        } catch let error as DatabaseError {
          #expect(error.resultCode == .SQLITE_ERROR, "\(text)")
        }
        _ = try? db.makeFTS5Pattern(rawPattern: text, forTable: "doc5")
      }
    }
    // Both outcomes occur.
    #expect(valid > Self.rounds / 20 && invalid > Self.rounds / 20)
  }

  @Test func `patterns of random texts are valid, and find the text`() throws {
    var random = SeededRandom()
    try inMemory { db in
      try db.execute(
        sql: "CREATE VIRTUAL TABLE f4 USING fts4(a); CREATE VIRTUAL TABLE f5 USING fts5(a, tokenize=ascii)")
      for _ in 0..<Self.rounds {
        let text = Self.text(&random)
        try db.execute(
          sql: "DELETE FROM f4; DELETE FROM f5; INSERT INTO f4 VALUES (:a); INSERT INTO f5 VALUES (:a)",
          arguments: ["a": text])
        for pattern in [
          FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text),
          FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
        ] {
          #expect((pattern == nil) == (try FTS3.tokenize(String(text.prefix { $0 != "\u{0}" })).isEmpty))
          guard let pattern else { continue }
          try #expect(FTS3Pattern(rawPattern: pattern.rawPattern).rawPattern == pattern.rawPattern)
          try #expect(matches(db, "f4", pattern.rawPattern).count == 1, "\(text.debugDescription)")
        }
        let tokenizer = try db.makeTokenizer(.ascii())
        for pattern in [
          FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllTokensIn: text),
          FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
          FTS5Pattern(matchingPrefixPhrase: text),
        ] {
          #expect((pattern == nil) == (try tokenizer.tokenize(query: text).isEmpty))
          guard let pattern else { continue }
          try #expect(FTS5Pattern(rawPattern: pattern.rawPattern).rawPattern == pattern.rawPattern)
          try #expect(matches(db, "f5", pattern.rawPattern).count == 1, "\(text.debugDescription)")
        }
      }
    }
  }

  @Test func `stored bytes are patterns, or not`() throws {
    var random = SeededRandom()
    try inDocuments { db in
      for _ in 0..<Self.rounds {
        let bytes = Self.bytes(&random)
        let value = try DatabaseValue.fetchOne(db, sql: "SELECT CAST(? AS TEXT)", arguments: [bytes])
        if let value {
          _ = FTS3Pattern.fromDatabaseValue(value)
          _ = FTS5Pattern.fromDatabaseValue(value)
        }
        for table in ["doc4", "doc5"] {
          do {
            _ = try Int.fetchAll(
              db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH CAST(? AS TEXT)", arguments: [bytes])
          } catch let error as DatabaseError {
            #expect(error.resultCode == .SQLITE_ERROR)
          }
        }
      }
    }
  }

  @Test func `huge and empty texts are patterns, or nil`() {
    let word = String(repeating: "x", count: 2_000_000)
    let words = String(repeating: "a b-", count: 10_000)
    // SQLite's parsers need a time that is quadratic in the length of some of these patterns.
    for text in ["", word, words, String(repeating: "\"", count: 100_000), String(repeating: "(", count: 100_000)] {
      _ = FTS3Pattern(matchingAllTokensIn: text)
      _ = FTS3Pattern(matchingAnyTokenIn: text)
      _ = FTS5Pattern(matchingAllTokensIn: text)
      _ = FTS5Pattern(matchingAnyTokenIn: text)
      _ = FTS5Pattern(matchingPhrase: text)
      _ = try? FTS3Pattern(rawPattern: text)
      _ = try? FTS5Pattern(rawPattern: text)
    }
    #expect(FTS5Pattern(matchingAllTokensIn: word)?.rawPattern == word)
    #expect(FTS3Pattern(matchingAllPrefixesIn: words) == nil)
    #expect(FTS3Pattern(matchingPhrase: words) != nil)
  }

  @Test(arguments: [4_095, 4_096])
  func `patterns of FTS3 have a limited number of words`(count: Int) {
    let text = String(repeating: "a ", count: count)
    let isValid = count <= 4_095
    #expect((FTS3Pattern(matchingAllTokensIn: text) != nil) == isValid)
    #expect((FTS3Pattern(matchingAnyTokenIn: text) != nil) == isValid)
    #expect((FTS3Pattern(matchingAllPrefixesIn: text) != nil) == isValid)
    let raw = text.dropLast()
    #expect(((try? FTS3Pattern(rawPattern: String(raw))) != nil) == isValid)
    #expect(FTS3Pattern(matchingPhrase: text) != nil)
    #expect(FTS5Pattern(matchingAllTokensIn: text) != nil)
  }

  @Test func `a tokenizer may report any tokens and ranges`() throws {
    var random = SeededRandom()
    try inMemory { db in
      db.add(tokenizer: ChaoticTokenizer.self)
      db.add(tokenizer: ChaoticWrapper.self)
      for (table, tokenizer) in [("c", "chaotic"), ("w", "chaoticWrapper"), ("p", "porter chaotic")] {
        try db.execute(sql: "CREATE VIRTUAL TABLE \(table) USING fts5(a, tokenize='\(tokenizer)')")
        var (inserted, failed) = (0, 0)
        for _ in 0..<Self.rounds {
          do {
            try db.execute(
              sql: "DELETE FROM \(table) WHERE rowid = ?", arguments: [Int.random(in: 1...20, using: &random)])
            // The text is the seed of its tokens, so the same text has the same tokens.
            try db.execute(
              sql: "INSERT INTO \(table) (rowid, a) VALUES (?, CAST(? AS TEXT))",
              arguments: [Int.random(in: 1...20, using: &random), Self.bytes(&random)])
            inserted += 1
            _ = try String.fetchAll(
              db, sql: "SELECT highlight(\(table), 0, '<', '>') || snippet(\(table), 0, '<', '>', '…', 3) FROM \(table)"
            )
            _ = try Int.fetchAll(
              db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ? ORDER BY rank",
              arguments: [Self.word(&random)])
          } catch let error as DatabaseError {
            let isExpected = [.SQLITE_ERROR, .SQLITE_FULL, .SQLITE_CONSTRAINT, .SQLITE_MISUSE].contains(
              error.resultCode)
            #expect(isExpected, "\(error)")
            failed += 1
          }
        }
        #expect(inserted > Self.rounds / 20, "\(table)")
        #expect(failed > Self.rounds / 20, "\(table)")
        // The index is consistent with the texts.
        try db.execute(sql: "INSERT INTO \(table) (\(table)) VALUES ('integrity-check')")
      }
    }
  }

  @Test func `made tokenizers split any bytes`() throws {
    var random = SeededRandom()
    try inMemory { db in
      db.add(tokenizer: ChaoticTokenizer.self)
      db.add(tokenizer: ChaoticWrapper.self)
      let descriptors: [FTS5TokenizerDescriptor] = [
        .ascii(), .unicode61(), .porter(), FTS5TokenizerDescriptor(components: ["trigram"]),
        ChaoticTokenizer.tokenizerDescriptor(), ChaoticWrapper.tokenizerDescriptor(),
        .porter(wrapping: ChaoticWrapper.tokenizerDescriptor()),
      ]
      let tokenizers = try descriptors.map { try db.makeTokenizer($0) }
      for _ in 0..<Self.rounds {
        let tokenizer = random.pick(tokenizers)
        do {
          _ = try tokenizer.tokenize(document: Self.text(&random))
          _ = try tokenizer.tokenize(query: Self.text(&random))
        } catch let error as DatabaseError {
          #expect([.SQLITE_ERROR, .SQLITE_FULL, .SQLITE_MISUSE].contains(error.resultCode))
        }
        let bytes = [UInt8](Self.bytes(&random))
        bytes.withUnsafeBytes { bytes in
          _ = tokenizer.tokenize(
            context: nil, tokenization: [.query, .prefix],
            pText: bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            nText: CInt(bytes.count)
          ) { _, _, _, _, _, _ in SQLITE_OK }
        }
      }
    }
  }

  @Test func `names and arguments of tokenizers are any texts`() throws {
    var random = SeededRandom()
    try inMemory { db in
      for _ in 0..<Self.rounds / 4 {
        let components = (0..<Int.random(in: 1...4, using: &random)).map { index in
          index == 0 && Bool.random(using: &random) ? "unicode61" : Self.text(&random)
        }
        let descriptor = FTS5TokenizerDescriptor(components: components)
        do {
          _ = try db.makeTokenizer(descriptor)
          try db.createDocuments(descriptor)
          try db.drop(table: "d")
        } catch let error as DatabaseError {
          #expect([.SQLITE_ERROR, .SQLITE_MISUSE].contains(error.resultCode), "\(components)")
        }
      }
    }
  }

  // MARK: - Random values

  private func expectResult(of pattern: some DatabaseValueConvertible, _ table: String, _ db: Database) throws {
    let rows = try Int.fetchAll(db, sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ?", arguments: [pattern])
    #expect(rows.count <= 3)
  }

  private static func pattern(_ random: inout SeededRandom) -> String {
    let parts = [
      "fox", "AND", "OR", "NOT", "NEAR", "(", ")", "\"", "*", "^", "+", "-", ":", "title", "body", "{", "}", " ", " ",
      "/3", ",", "é", "\u{0}", "'", "a", "NEAR(fox whale, 4)", "title:", "\\", "😀", "doc5", "rank", "\n",
    ]
    return (0..<Int.random(in: 0...7, using: &random)).map { _ in random.pick(parts) }
      .joined(separator: Bool.random(using: &random) ? " " : "")
  }

  private static func text(_ random: inout SeededRandom) -> String {
    let alphabet = Array("abAB 12,.'\"*^-+:(){}\\ \n\u{0}é\u{301}İß\u{1F469}\u{200D}\u{FFFD}語")
    return String((0..<Int.random(in: 0..<20, using: &random)).map { _ in random.pick(alphabet) })
  }

  private static func word(_ random: inout SeededRandom) -> String {
    random.pick(["a", "b*", "\"a b\"", "a OR b", "^a", "a NOT b", "x"])
  }

  fileprivate static func bytes(_ random: inout SeededRandom) -> Data {
    let lengths = [0, 1, 3, 10, 40, 40, 1000]
    let length = random.pick(lengths)
    if Bool.random(using: &random) {
      return Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    return Data((0..<length).map { _ in random.pick([0x61, 0x62, 0x20, 0xC3, 0xA9, 0x00, 0x2D]) })
  }
}

/// Random numbers that depend on a text only.
private struct TextRandom: RandomNumberGenerator {
  var state: UInt64

  init(_ text: UnsafePointer<CChar>?, _ count: CInt) {
    state = 0xCBF2_9CE4_8422_2325
    for index in 0..<Int(count) {
      state = (state ^ UInt64(UInt8(bitPattern: text?[index] ?? 0))) &* 0x100_0000_01B3
    }
  }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) << 32 | (state >> 31 & 0xFFFF_FFFF)
  }
}

/// Reports tokens that have nothing to do with the text: empty, huge or invalid ones, with ranges outside of the text.
/// It ignores failures of the callback, and returns failures of its own.
private final class ChaoticTokenizer: FTS5CustomTokenizer {
  static let name = "chaotic"

  init(db: Database, arguments: [String]) {}

  func tokenize(
    context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
    tokenCallback: @escaping FTS5TokenCallback
  ) -> CInt {
    var random = TextRandom(pText, nText)
    let edges: [CInt] = [.min, -1, 0, 1, 2, nText - 1, nText, nText &+ 1, 1_000_000, .max]
    for _ in 0..<Int.random(in: 0..<6, using: &random) {
      let size = [0, 1, 2, 30, 40_000].randomElement(using: &random) ?? 0
      let token = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      let flags = Int.random(in: 0..<4, using: &random) == 0 ? CInt(1) : 0
      let start = edges.randomElement(using: &random) ?? 0
      let end = edges.randomElement(using: &random) ?? 0
      token.withUnsafeBytes { bytes in
        let pointer = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        _ = tokenCallback(context, flags, pointer, CInt(bytes.count), start, end)
      }
      switch Int.random(in: 0..<60, using: &random) {
      case 0: _ = tokenCallback(context, 0, nil, 5, 0, 0)
      case 1: _ = tokenCallback(context, 0, "a", -5, 0, 0)
      default: break
      }
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return SQLITE_FULL
    case 1: return SQLITE_DONE
    default: return SQLITE_OK
    }
  }
}

/// Passes on tokens that have nothing to do with those of the wrapped tokenizer, and fails at random.
private final class ChaoticWrapper: FTS5WrapperTokenizer {
  static let name = "chaoticWrapper"
  let wrappedTokenizer: any FTS5Tokenizer

  init(db: Database, arguments: [String]) throws {
    wrappedTokenizer = ChaoticTokenizer(db: db, arguments: [])
  }

  func accept(
    token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback
  ) throws {
    var random = token.utf8CString.withUnsafeBufferPointer { TextRandom($0.baseAddress, CInt($0.count)) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: break
    case 1: try tokenCallback("", flags.union(.colocated))
    case 2: try tokenCallback(String(repeating: "é\u{0}", count: 10_000), [])
    case 3:
      // The failure of a token is ignored.
      do { try tokenCallback(token, FTS5TokenFlags(rawValue: 0x7FFF)) } catch {}
    default: try tokenCallback(token, flags)
    }
    if Int.random(in: 0..<20, using: &random) == 0 { throw Planned() }
  }
}
