import Testing
import Tidemark

/// Observations of full-text tables.
@Suite struct FullTextObservationTests {
  /// A full-text table `d(title, body)`, and the statements that write it.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case fts3, fts4, fts5
    case fts4OfTable, fts5OfTable
    case fts5OfView
    case fts4WithoutContent, fts5WithoutContent
    case fts5WithoutDetail, fts5WithSwiftTokenizer

    var testDescription: String { rawValue }

    /// Whether rows are written to a table `book(id, title, body)`.
    var hasContentTable: Bool { self == .fts4OfTable || self == .fts5OfTable || self == .fts5OfView }

    var isContentless: Bool { self == .fts4WithoutContent || self == .fts5WithoutContent }

    func create(_ db: Database) throws {
      try db.execute(sql: "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
      switch self {
      case .fts3:
        try db.create(virtualTable: "d", using: FTS3()) { t in
          t.column("title")
          t.column("body")
        }
      case .fts4, .fts4OfTable, .fts4WithoutContent:
        try db.create(virtualTable: "d", using: FTS4()) { t in
          t.column("title")
          t.column("body")
          if self == .fts4OfTable { t.synchronize(withTable: "book") }
          if self == .fts4WithoutContent { t.content = "" }
        }
      case .fts5, .fts5OfTable, .fts5WithoutContent, .fts5WithoutDetail, .fts5WithSwiftTokenizer:
        try db.create(virtualTable: "d", using: FTS5()) { t in
          t.column("title")
          t.column("body")
          if self == .fts5OfTable { t.synchronize(withTable: "book") }
          if self == .fts5WithoutContent { t.content = "" }
          if self == .fts5WithoutDetail { t.detail = "none" }
          if self == .fts5WithSwiftTokenizer { t.tokenizer = SplitterTokenizer.tokenizerDescriptor() }
        }
      case .fts5OfView:
        // The triggers of the program write the index.
        try db.execute(
          sql: """
            CREATE VIEW content AS SELECT id, title || '!' AS title, body FROM book;
            CREATE VIRTUAL TABLE d USING fts5(title, body, content='content', content_rowid='id');
            CREATE TRIGGER book_ai AFTER INSERT ON book BEGIN
              INSERT INTO d (rowid, title, body) VALUES (new.id, new.title, new.body);
            END;
            CREATE TRIGGER book_ad AFTER DELETE ON book BEGIN
              INSERT INTO d (d, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
            END;
            CREATE TRIGGER book_au AFTER UPDATE ON book BEGIN
              INSERT INTO d (d, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);
              INSERT INTO d (rowid, title, body) VALUES (new.id, new.title, new.body);
            END;
            """)
      }
    }

    func insert(_ id: Int, _ title: String, _ body: String, _ db: Database) throws {
      let (table, key) = hasContentTable ? ("book", "id") : ("d", self == .fts5WithoutContent ? "rowid" : rowID)
      try db.execute(
        sql: "INSERT INTO \(table) (\(key), title, body) VALUES (?, ?, ?)", arguments: [id, title, body])
    }

    func delete(_ id: Int, _ title: String, _ body: String, _ db: Database) throws {
      if self == .fts5WithoutContent {
        try db.execute(
          sql: "INSERT INTO d (d, rowid, title, body) VALUES ('delete', ?, ?, ?)", arguments: [id, title, body])
      } else if hasContentTable {
        try db.execute(sql: "DELETE FROM book WHERE id = ?", arguments: [id])
      } else {
        try db.execute(sql: "DELETE FROM d WHERE rowid = ?", arguments: [id])
      }
    }

    func update(_ id: Int, body: String, _ db: Database) throws {
      let (table, key) = hasContentTable ? ("book", "id") : ("d", "rowid")
      try db.execute(sql: "UPDATE \(table) SET body = ? WHERE \(key) = ?", arguments: [body, id])
    }

    private var rowID: String { rawValue.hasPrefix("fts5") ? "rowid" : "docid" }
  }

  private static func withDatabase(_ observed: Observed, _ kind: Kind, _ body: (any DatabaseWriter) throws -> Void)
    throws
  {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { db in db.add(tokenizer: SplitterTokenizer.self) }
    let writer: any DatabaseWriter =
      switch observed {
      case .queue: try DatabaseQueue(configuration: configuration)
      case .fileQueue: try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
      case .pool: try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
      }
    try writer.write { try kind.create($0) }
    try body(writer)
    try writer.close()
  }

  @Test(arguments: Observed.allCases, Kind.allCases)
  func `changes of what matches are delivered`(observed: Observed, kind: Kind) throws {
    try Self.withDatabase(observed, kind) { writer in
      let observation = ValueObservation.tracking { db in try matches(db, "d", "whale") }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: [])
      try writer.write { db in try kind.insert(1, "Moby Dick", "a whale of a time", db) }
      try deliveries.wait(forLast: [1])
      try writer.write { db in
        try kind.insert(2, "Jonah", "in the whale", db)
        try kind.insert(3, "Dune", "sand", db)
      }
      try deliveries.wait(forLast: [1, 2])
      if !kind.isContentless {
        try writer.write { db in try kind.update(3, body: "sand whale", db) }
        try deliveries.wait(forLast: [1, 2, 3])
      }
      if kind != .fts4WithoutContent {
        try writer.write { db in try kind.delete(2, "Jonah", "in the whale", db) }
        try deliveries.wait { $0.last?.contains(2) == false }
      }
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func `requests are fetched again when the content table changes`(observed: Observed) throws {
    struct Search: TableRecord { static let databaseTableName = "d" }
    try Self.withDatabase(observed, .fts5OfTable) { writer in
      let observation = ValueObservation.tracking { db in
        try Search.matching(FTS5Pattern(matchingAllPrefixesIn: "wha")).order(Column.rank)
          .select(Column("title"), as: String.self).fetchAll(db)
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: [])
      try writer.write { db in try db.execute(sql: "INSERT INTO book VALUES (1, 'Moby Dick', 'whales')") }
      try deliveries.wait(forLast: ["Moby Dick"])
      // The text of the result is in the content table only.
      try writer.write { db in try db.execute(sql: "UPDATE book SET title = 'The Whale'") }
      try deliveries.wait(forLast: ["The Whale"])
      try writer.write { db in try db.execute(sql: "DELETE FROM book") }
      try deliveries.wait(forLast: [])
      cancellable.cancel()
    }
  }

  @Test func `changes of other tables do not cause a fetch`() throws {
    try Self.withDatabase(.queue, .fts5) { writer in
      let fetchCount = Locked(0)
      let observation = ValueObservation.tracking { db in
        fetchCount.update { $0 += 1 }
        return try matches(db, "d", "whale")
      }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: [])
      try writer.write { db in try db.execute(sql: "INSERT INTO book (title) VALUES ('whale')") }
      try writer.write { db in try db.execute(sql: "INSERT INTO d VALUES ('whale', '')") }
      try deliveries.wait(forLast: [1])
      #expect(fetchCount.value == 2)
      cancellable.cancel()
    }
  }

  @Test func `commands of the index that change no result are tolerated`() throws {
    try Self.withDatabase(.pool, .fts5OfTable) { writer in
      let observation = ValueObservation.tracking { db in try matches(db, "d", "whale") }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try writer.write { db in
        try db.execute(sql: "INSERT INTO book VALUES (1, 'a', 'whale'); INSERT INTO d (d) VALUES ('optimize')")
      }
      try deliveries.wait(forLast: [1])
      // The index is emptied, and built again: the content table does not change.
      try writer.write { db in try db.execute(sql: "INSERT INTO d (d) VALUES ('delete-all')") }
      try deliveries.wait(forLast: [])
      try writer.write { db in try db.execute(sql: "INSERT INTO d (d) VALUES ('rebuild')") }
      try deliveries.wait(forLast: [1])
      cancellable.cancel()
    }
  }

  @Test func `a rolled back change is not delivered`() throws {
    try Self.withDatabase(.queue, .fts5) { writer in
      let observation = ValueObservation.tracking { db in try matches(db, "d", "whale") }
      let (deliveries, cancellable) = observation.collect(in: writer)
      try deliveries.wait(forLast: [])
      try writer.write { db in
        try db.execute(sql: "INSERT INTO d VALUES ('whale', '')")
        try db.inSavepoint {
          try db.execute(sql: "INSERT INTO d VALUES ('whale', '2')")
          return .rollback
        }
      }
      try deliveries.wait(forLast: [1])
      #expect(throws: Planned.self) {
        try writer.write { db in
          try db.execute(sql: "DELETE FROM d")
          throw Planned()
        }
      }
      try writer.write { db in try db.execute(sql: "INSERT INTO d VALUES ('whale', '3')") }
      try deliveries.wait(forLast: [1, 2])
      #expect(deliveries.values == [[], [1], [1, 2]])
      cancellable.cancel()
    }
  }
}
