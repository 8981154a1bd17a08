import Foundation
import Testing
import Tidemark

private enum Grape: String, DatabaseValueConvertible { case merlot }
private enum Columns: String, ColumnExpression { case id, title }
private enum Keys: String, CodingKey { case title = "the title" }
private enum Both: String, CodingKey, ColumnExpression { case id }

private struct Point: DatabaseValueConvertible {
  var x: Int
  var databaseValue: DatabaseValue { "(\(x))".databaseValue }
  static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Point? { nil }
}

/// The SQL for each kind of interpolated value.
@Suite struct SQLInterpolationTests {
  private static let nothing: Int? = nil
  private static let request: SQLRequest<Int> = "SELECT id FROM book WHERE id > \(3)"

  // swift-format-ignore
  @Test(arguments: [
    ("\(1)", "?", [1]),
    ("\("O'Brien")", "?", ["O'Brien"]),
    ("\(true)", "?", [1]),
    ("\(Data([1]))", "?", [Data([1])]),
    ("\(1.5)", "?", [1.5]),
    ("\(Grape.merlot)", "?", ["merlot"]),
    ("\(Point(x: 1))", "?", ["(1)"]),
    ("\(1.databaseValue)", "?", [1]),
    ("\(DatabaseValue.null)", "NULL", []),
    ("\(nothing)", "NULL", []),
    ("\(nil as String?)", "NULL", []),
    ("\(Optional(3))", "?", [3]),
    ("\(1 as any SQLExpressible)", "?", [1]),
    ("\(nil as (any SQLExpressible)?)", "NULL", []),
    ("\([1, 2])", "(?,?)", [1, 2]),
    ("\(["a"] as Set)", "(?)", ["a"]),
    ("\(1...3)", "(?,?,?)", [1, 2, 3]),
    ("\([1, nil, 3])", "(?,NULL,?)", [1, 3]),
    ("\([Int]())", "(SELECT NULL WHERE NULL)", []),
    ("\([1, "a"] as [any SQLExpressible])", "(?,?)", [1, "a"]),
    ("\([] as [any SQLExpressible])", "(SELECT NULL WHERE NULL)", []),
    ("\([Column("a"), Column("b")])", #"("a","b")"#, []),
    ("\(identifier: "x y")", #""x y""#, []),
    ("\(identifier: "x\"y")", #""x""y""#, []),
    ("\(sql: "a = ?", arguments: [1])", "a = ?", [1]),
    ("\(sql: "a")", "a", []),
    ("\(literal: "a = \(1)")", "a = ?", [1]),
    ("\("a = \(1)" as SQL)", "a = ?", [1]),
    ("\(Column("title"))", #""title""#, []),
    ("\(Column.rowID)", #""rowid""#, []),
    ("\(Columns.title)", #""title""#, []),
    ("\(Keys.title)", #""the title""#, []),
    ("\(Both.id)", #""id""#, []),
    ("\(request)", "SELECT id FROM book WHERE id > ?", [3]),
    ("x IN (\(request))", "x IN (SELECT id FROM book WHERE id > ?)", [3]),
    ("\(AnyFetchRequest(request))", "SELECT id FROM book WHERE id > ?", [3]),
    ("\(request.sqlSubquery)", "SELECT id FROM book WHERE id > ?", [3]),
    ("\(request.sqlExpression)", "(SELECT id FROM book WHERE id > ?)", [3]),
    ("\(Column("a").sqlSelection), \(Column("b").sqlOrdering)", #""a", "b""#, []),
    ("foo(\(Column("a")), \(nothing), \([1, 2]))", #"foo("a", NULL, (?,?))"#, [1, 2]),
    ("\(identifier: "x y") \(sql: "IN") \(["p", "q"])", #""x y" IN (?,?)"#, ["p", "q"]),
  ] as [(SQL, String, StatementArguments)])
  func interpolationsBuildSQL(literal: SQL, sql: String, arguments: StatementArguments) throws {
    let built = try inMemory { try literal.build($0) }
    #expect(built.sql == sql)
    #expect(built.arguments == arguments)
  }

  @Test func missingColumnsInterpolateAsNull() throws {
    let column: Column? = nil
    #expect(try inMemory { try SQL("\(column)").build($0).sql } == "NULL")
  }

  @Test func emptyListsContainNothing() throws {
    try inLibrary { db throws in
      #expect(try SQLRequest<Int>("SELECT id FROM book WHERE title IN \([String]())").fetchAll(db).isEmpty)
      #expect(try SQLRequest<Int>("SELECT id FROM book WHERE id NOT IN \([Int]())").fetchAll(db) == [1, 2, 3])
    }
  }

  @Test func listsOfManyValuesAreBound() throws {
    let ids = Array(1...5000)
    #expect(try inLibrary { try SQLRequest<Int>("SELECT id FROM book WHERE id IN \(ids)").fetchAll($0) } == [1, 2, 3])
  }
}
