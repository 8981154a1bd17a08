import Testing
import Tidemark
@testable import TidemarkEssentials

/// Requests derived from requests.
@Suite struct FetchRequestTests {
  private static let request = SQLRequest<Row>(sql: "SELECT id, title, authorId FROM book WHERE id > ?", arguments: [1])

  @Test func adaptedRequestsShowOtherColumns() throws {
    try inLibrary { db throws in
      let adapted = Self.request.adapted { _ in RangeRowAdapter(0..<1) }
      #expect(try adapted.fetchAll(db) == [["id": 2], ["id": 3]])
      #expect(try adapted.fetchOne(db) == ["id": 2])
      #expect(try adapted.fetchSet(db).count == 2)
      #expect(try adapted.fetchCursor(db).next()?.count == 1)
      #expect(try adapted.fetchCount(db) == 2)
      #expect(try SQL("\(adapted)").build(db).sql == "SELECT id, title, authorId FROM book WHERE id > ?")
    }
  }

  @Test func adaptersCanReadTheDatabase() throws {
    try inLibrary { db throws in
      let adapted = Self.request.adapted { db throws in
        SuffixRowAdapter(fromIndex: try Int.fetchOne(db, sql: "SELECT count(*) FROM author") ?? 0)
      }
      #expect(try adapted.fetchOne(db)?.columnNames == ["title", "authorId"])
    }
  }

  @Test func adapterErrorsAreThrownByTheFetch() throws {
    try inLibrary { db throws in
      let adapted = Self.request.adapted { _ in throw NoRow() }
      #expect(throws: NoRow.self) { try adapted.fetchAll(db) }
    }
  }

  @Test func erasedRequestsFetchTheSameRows() throws {
    try inLibrary { db throws in
      let erased = AnyFetchRequest(Self.request.adapted { _ in RangeRowAdapter(0..<1) })
      #expect(try erased.fetchAll(db) == [["id": 2], ["id": 3]])
      #expect(try erased.fetchCount(db) == 2)
      #expect(try erased.databaseRegion(db).description == "book(authorId,id,title)")
      let twice = AnyFetchRequest(erased)
      #expect(try twice.fetchOne(db) == ["id": 2])
    }
  }

  @Test func erasedRequestsCanDecodeAnotherType() throws {
    try inLibrary { db throws in
      let erased = AnyFetchRequest(Self.request)
      #expect(try erased.asRequest(of: Int.self).fetchAll(db) == [2, 3])
      let texts: AnyFetchRequest<String> = erased.asRequest(of: String.self)
      #expect(try texts.fetchAll(db) == ["2", "3"])
    }
  }

  /// A request type of the program.
  private struct TitleRequest: FetchRequest {
    typealias RowDecoder = String
    var id: Int
    private var base: SQLRequest<String> { "SELECT title FROM book WHERE id = \(id)" }
    init(id: Int) { self.id = id }
    var sqlSubquery: SQLSubquery { base.sqlSubquery }
    func fetchCount(_ db: Database) throws -> Int { try base.fetchCount(db) }
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
      try base.makePreparedRequest(db, forSingleResult: singleResult)
    }
  }

  @Test func programsCanDefineRequests() throws {
    try inLibrary { db throws in
      let request = TitleRequest(id: 1)
      #expect(try request.fetchOne(db) == "Dune")
      #expect(try String.fetchAll(db, request) == ["Dune"])
      #expect(try request.fetchCount(db) == 1)
      #expect(try request.databaseRegion(db).description == "book(id,title)")
      #expect(try AnyFetchRequest(request).fetchSet(db) == ["Dune"])
      #expect(try SQLRequest<Int>("SELECT id FROM book WHERE title = (\(request))").fetchOne(db) == 1)
      let any: any FetchRequest<String> = request
      #expect(try any.fetchAll(db) == ["Dune"])
    }
  }

  @Test func requestsKnowWhetherOneResultSuffices() throws {
    final class Spy: FetchRequest, Sendable {
      typealias RowDecoder = Int
      let asked = Mutex<[Bool]>([])
      var sqlSubquery: SQLSubquery { SQLRequest<Int>("SELECT 1").sqlSubquery }
      func fetchCount(_ db: Database) throws -> Int { 1 }
      func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
        asked.withLock { $0.append(singleResult) }
        return try SQLRequest<Int>("SELECT 1").makePreparedRequest(db, forSingleResult: singleResult)
      }
    }
    let spy = Spy()
    try inMemory { db throws in
      _ = try spy.fetchAll(db)
      _ = try spy.fetchOne(db)
      _ = try spy.fetchSet(db)
      _ = try spy.fetchCursor(db)
      _ = try String.fetchOne(db, spy)
    }
    #expect(spy.asked.withLock { $0 } == [false, true, false, false, true])
  }

  /// A request type of the program that does not count its rows.
  private struct Uncounted: FetchRequest {
    typealias RowDecoder = String
    var sql: String
    var arguments: StatementArguments
    var sqlSubquery: SQLSubquery { SQLRequest<String>(sql: sql, arguments: arguments).sqlSubquery }
    func makePreparedRequest(_ db: Database, forSingleResult singleResult: Bool) throws -> PreparedRequest {
      let statement = try db.makeStatement(sql: sql)
      statement.arguments = arguments
      return PreparedRequest(statement: statement)
    }
  }

  @Test func `by default, the rows of the statement are counted`() throws {
    try inLibrary { db throws in
      let positional = Uncounted(sql: "SELECT title FROM book WHERE id > ? -- not the first", arguments: [1])
      #expect(try positional.fetchCount(db) == 2)
      let named = Uncounted(sql: "SELECT title FROM book WHERE id IN (:a, :b) LIMIT 1;", arguments: ["a": 1, "b": 2])
      #expect(try named.fetchCount(db) == 1)
      #expect(try AnyFetchRequest(Uncounted(sql: "SELECT 1 WHERE 0", arguments: [])).fetchCount(db) == 0)
    }
  }
}
