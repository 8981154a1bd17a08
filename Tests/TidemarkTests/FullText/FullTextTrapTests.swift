import Testing
import Tidemark

/// Invalid definitions of full-text tables, and their messages.
enum FullTextTrap: String, CaseIterable, Codable {
  case noColumn, noComponent, temporaryFTS4, temporaryFTS5

  func run() throws {
    try inMemory { db in
      switch self {
      case .noColumn: try db.create(virtualTable: "d", using: FTS5())
      case .noComponent: _ = FTS5TokenizerDescriptor(components: [])
      case .temporaryFTS4:
        try db.create(virtualTable: "d", options: .temporary, using: FTS4()) { t in t.synchronize(withTable: "book") }
      case .temporaryFTS5:
        try db.create(virtualTable: "d", options: .temporary, using: FTS5()) { t in t.synchronize(withTable: "book") }
      }
    }
  }

  var words: String {
    switch self {
    case .noColumn: "FTS5 virtual table requires at least one column."
    case .noComponent: "FTS5TokenizerDescriptor requires at least one component"
    case .temporaryFTS4: "Temporary external content FTS4 tables are not supported."
    case .temporaryFTS5: "Temporary external content FTS5 tables are not supported."
    }
  }
}

@Suite struct FullTextTrapTests {
  @Test(arguments: FullTextTrap.allCases)
  func `invalid definitions trap with an explanation`(mistake: FullTextTrap) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
      try mistake.run()
    }
    #expect(result.words.contains(mistake.words))
  }

  @Test func `tokenizers outside of an access of their connection trap`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let dbQueue = try DatabaseQueue()
      let tokenizer = try dbQueue.inDatabase { db in Box(try db.makeTokenizer(.ascii())) }
      _ = try tokenizer.value.tokenize(document: "a b")
    }
    #expect(result.words.contains("Database was not used on the correct thread"))
  }

  private final class Box: @unchecked Sendable {
    // Used by one thread at a time.
    let value: any FTS5Tokenizer
    init(_ value: any FTS5Tokenizer) { self.value = value }
  }
}
