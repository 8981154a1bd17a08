import TestSupport
import Testing
import Tidemark

/// The code of the article about full-text search.
@Suite(.untilItHangs) struct FullTextArticleTests {
  struct Document: Codable, Equatable, FetchableRecord, PersistableRecord {
    var title: String
    var body: String
  }

  struct Book: Codable, FetchableRecord, PersistableRecord {
    static let search = belongsTo(BookSearch.self, using: ForeignKey(["id"], to: ["rowid"]))

    enum Columns {
      static let price = Column(CodingKeys.price)
    }

    var id: Int64
    var title: String
    var summary: String
    var price: Double
  }

  struct BookSearch: TableRecord {}

  private func inDocuments(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.create(virtualTable: "document", using: FTS5()) { t in
        t.tokenizer = .porter(wrapping: .unicode61())
        t.column("title")
        t.column("body")
      }
      try Document(title: "SQLite", body: "A small, fast library that stores data.").insert(db)
      try Document(title: "Swift", body: "Libraries: SQLite in Swift, and many others.").insert(db)
      try Document(title: "Linux", body: "A kernel.").insert(db)
      try body(db)
    }
  }

  private func inBooks(_ body: (Database) throws -> Void) throws {
    try inMemory { db in
      try db.create(table: "book") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("title", .text).notNull()
        t.column("summary", .text).notNull()
        t.column("price", .double).notNull()
      }
      try Book(id: 1, title: "Moby Dick", summary: "A whale.", price: 10).insert(db)
      try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
        t.synchronize(withTable: "book")
        t.column("title")
        t.column("summary")
      }
      try Book(id: 2, title: "Jonah", summary: "Another whale.", price: 5).insert(db)
      try Book(id: 3, title: "Dune", summary: "Sand.", price: 7).insert(db)
      try body(db)
    }
  }

  @Test func `documents are searched and ranked`() throws {
    try inDocuments { db in
      let searchText = "sqlite librar"

      // SELECT * FROM "document" WHERE "document" MATCH 'sqlite* librar*' ORDER BY "rank"
      let pattern = FTS5Pattern(matchingAllPrefixesIn: searchText)
      let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
      #expect(Set(documents.map(\.title)) == ["SQLite", "Swift"])
    }
  }

  @Test func `patterns name columns`() throws {
    try inDocuments { db in
      let pattern = try db.makeFTS5Pattern(rawPattern: "title: sqlite OR kernel*", forTable: "document")
      let titles = try Document.matching(pattern).select(Column("title"), as: String.self).fetchAll(db)
      #expect(Set(titles) == ["SQLite", "Linux"])
    }
  }

  @Test func `functions of FTS5 are called in SQL`() throws {
    try inDocuments { db in
      let pattern = FTS5Pattern(matchingAnyTokenIn: "swift")
      let excerpts =
        try Document
        .matching(pattern)
        .select(literal: "snippet(document, 1, '<b>', '</b>', '…', 5)", as: String.self)
        .order(sql: "bm25(document, 10.0, 1.0)")
        .fetchAll(db)
      #expect(excerpts == ["…SQLite in <b>Swift</b>, and many…"])
    }
  }

  @Test func `an index of another table is joined`() throws {
    try inBooks { db in
      // SELECT "book".* FROM "book"
      // JOIN "bookSearch" ON ("bookSearch"."rowid" = "book"."id") AND ("bookSearch" MATCH 'whale')
      // WHERE "price" < 8
      let pattern = FTS5Pattern(matchingAllTokensIn: "whale")
      let books =
        try Book
        .joining(required: Book.search.matching(pattern))
        .filter { $0.price < 8 }
        .fetchAll(db)
      #expect(books.map(\.title) == ["Jonah"])

      try db.drop(table: "bookSearch")
      try db.dropFTS5SynchronizationTriggers(forTable: "bookSearch")
      try Book(id: 4, title: "Emma", summary: "Love.", price: 3).insert(db)
    }
  }

  @Test func `searches are observed`() async throws {
    let dbQueue = try DatabaseQueue()
    try await dbQueue.write { db in
      try db.create(virtualTable: "document", using: FTS5()) { t in
        t.column("title")
        t.column("body")
      }
    }
    let observation = ValueObservation.tracking { db in
      try Document.matching(FTS5Pattern(matchingAllTokensIn: "sqlite")).order(Column.rank).fetchAll(db)
    }
    var values = observation.values(in: dbQueue).makeAsyncIterator()
    try #expect(await values.next() == [])
    let document = Document(title: "SQLite", body: "")
    try await dbQueue.write { db in try document.insert(db) }
    try #expect(await values.next() == [document])
  }

  /// Ignores frequent words, and finds numbers by their names.
  final class HotelTokenizer: FTS5WrapperTokenizer {
    static let name = "hotel"
    let wrappedTokenizer: any FTS5Tokenizer
    private let ignored: Set<String> = ["a", "an", "the"]
    private let names = ["1": "one", "2": "two", "3": "three"]

    init(db: Database, arguments: [String]) throws {
      wrappedTokenizer = try db.makeTokenizer(
        arguments.isEmpty ? .unicode61() : FTS5TokenizerDescriptor(components: arguments))
    }

    func accept(
      token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
      tokenCallback: FTS5WrapperTokenCallback
    ) throws {
      if ignored.contains(token) { return }
      try tokenCallback(token, flags)
      if tokenization.contains(.document), let name = names[token] {
        try tokenCallback(name, flags.union(.colocated))
      }
    }
  }

  @Test func `tokenizers are written in Swift`() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(tokenizer: HotelTokenizer.self)
    }
    let dbQueue = try DatabaseQueue(configuration: configuration)
    try dbQueue.write { db in
      try db.create(virtualTable: "document", using: FTS5()) { t in
        t.tokenizer = HotelTokenizer.tokenizerDescriptor(arguments: ["unicode61", "remove_diacritics", "2"])
        t.column("title")
        t.column("body")
      }
      try Document(title: "Room 1", body: "The café is open.").insert(db)
      try #expect(matches(db, "document", "\"room one\"") == [1])
      try #expect(matches(db, "document", "cafe") == [1])

      let tokenizer = try db.makeTokenizer(HotelTokenizer.tokenizerDescriptor())
      let tokens = try tokenizer.tokenize(document: "The room 1").map(\.token)  // ["room", "1", "one"]
      #expect(tokens == ["room", "1", "one"])
    }
  }
}

/// The code of the article about virtual tables.
@Suite(.untilItHangs) struct VirtualTablesArticleTests {
  /// The words of a full-text table.
  struct Vocabulary: VirtualTableModule {
    final class TableDefinition {
      var table = ""
    }

    var moduleName: String { "fts5vocab" }

    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition { TableDefinition() }

    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] {
      [definition.table, "row"]
    }

    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {}
  }

  @Test func `boxes are searched`() throws {
    try inMemory { db in
      try db.create(virtualTable: "area", using: RTree()) { t in
        t.id("id")
        t.dimension("minX", "maxX")
        t.dimension("minY", "maxY")
        t.auxiliaryColumn("name", .text)
      }
      try db.execute(sql: "INSERT INTO area VALUES (1, 0, 10, 0, 5, 'park'), (2, 20, 30, 0, 5, 'lake')")

      // The areas that contain a point.
      let (x, y) = (3.0, 4.0)
      let names = try Table("area")
        .filter(Column("minX") <= x && Column("maxX") >= x && Column("minY") <= y && Column("maxY") >= y)
        .select(Column("name"), as: String.self)
        .fetchAll(db)
      #expect(names == ["park"])
    }
  }

  @Test func `modules are named, or described by a type`() throws {
    try inMemory { db in
      try db.create(virtualTable: "document", using: "fts5(title)")
      try db.create(virtualTable: "vocabulary", using: Vocabulary()) { t in
        t.table = "document"
      }
      try db.execute(sql: "INSERT INTO document VALUES ('a b a')")
      try #expect(Int.fetchOne(db, sql: "SELECT cnt FROM vocabulary WHERE term = 'a'") == 2)
    }
  }
}
