import Foundation
import Testing
import Tidemark

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The code of the article about extensions, with a small extension that has a function of sqlite-vec.
@Suite(.enabled(if: CompiledExtension.hasCompiler, "The tests of extensions need a C compiler, as `cc`"))
struct ExtensionsArticleTests {
  struct Document: Codable, FetchableRecord, PersistableRecord {
    enum Columns {
      static let id = Column(CodingKeys.id)
      static let text = Column(CodingKeys.text)
      static let embedding = Column(CodingKeys.embedding)
    }

    var id: Int64
    var text: String
    var embedding: Data
  }

  /// Stores a vector as sqlite-vec reads it: as 32-bit floating-point numbers.
  static func blob(_ vector: [Float]) -> Data {
    vector.withUnsafeBytes { Data($0) }
  }

  private let folder: TemporaryFolder
  private let libraryPath: String

  init() throws {
    folder = try TemporaryFolder()
    libraryPath = try CompiledExtension.compile(CompiledExtension.vectorSource, into: folder, named: "vec0")
  }

  private func expectNearest(_ dbQueue: DatabaseQueue, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let documents = [("cat", [1, 0, 0]), ("dog", [0.9, 0.1, 0]), ("stone", [0, 0, 1])] as [(String, [Float])]
    try dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE document (id INTEGER PRIMARY KEY, text TEXT, embedding BLOB)")
      for (index, (text, vector)) in documents.enumerated() {
        try Document(id: Int64(index), text: text, embedding: Self.blob(vector)).insert(db)
      }
    }
    let query: [Float] = [0.85, 0.15, 0]
    try dbQueue.read { db in
      let distance = DatabaseFunction("vec_distance_L2", argumentCount: 2) { _ in nil }
      let nearest =
        try Document
        .order { distance($0.embedding, Self.blob(query)) }
        .limit(2)
        .fetchAll(db)
      #expect(nearest.map(\.text) == ["dog", "cat"], sourceLocation: sourceLocation)

      let rows = try SQLRequest<Row>(
        """
        SELECT text, vec_distance_L2(embedding, \(Self.blob(query))) AS distance
        FROM document
        ORDER BY distance
        LIMIT 2
        """
      ).fetchAll(db)
      #expect(rows.map { $0["text"] } == ["dog", "cat"], sourceLocation: sourceLocation)
    }
  }

  @Test func `a library is loaded`() throws {
    var config = Configuration()
    config.extensions = [.library(libraryPath)]
    let dbQueue = try DatabaseQueue(configuration: config)
    try expectNearest(dbQueue)
  }

  @Test func `an extension is linked`() throws {
    let library = try #require(dlopen(libraryPath, RTLD_NOW))
    let symbol = try #require(dlsym(library, "sqlite3_vec_init"))
    let sqlite3_vec_init = unsafeBitCast(symbol, to: DatabaseExtension.EntryPoint.self)
    var config = Configuration()
    config.extensions = [.linked("sqlite-vec", sqlite3_vec_init)]
    let dbQueue = try DatabaseQueue(configuration: config)
    try expectNearest(dbQueue)
  }
}
