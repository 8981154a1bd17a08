import Testing

import Tidemark
@testable import TidemarkEssentials

private struct HTTPThing: TableRecord {}
private struct TOEFL: TableRecord {}
private struct URLCache2: TableRecord {}
private struct Books: TableRecord {}
private struct Gen<T>: TableRecord {}
private enum Outer {
  struct NestedThing: TableRecord {}
}
private struct A1: TableRecord {}
private struct _Hidden: TableRecord {}
private struct X509Cert: TableRecord {}
private struct lowered: TableRecord {}
private struct Renamed: TableRecord { static let databaseTableName = "other name" }

/// The properties of a type with a table.
@Suite struct TableRecordTests {
  @Test func tableNamesFollowTypeNames() {
    #expect(HTTPThing.databaseTableName == "httpThing")
    #expect(TOEFL.databaseTableName == "toefl")
    #expect(URLCache2.databaseTableName == "urlCache2")
    #expect(Books.databaseTableName == "books")
    #expect(Gen<Int>.databaseTableName == "gen")
    #expect(Outer.NestedThing.databaseTableName == "nestedThing")
    #expect(A1.databaseTableName == "a1")
    #expect(_Hidden.databaseTableName == "_hidden")
    #expect(X509Cert.databaseTableName == "x509Cert")
    #expect(lowered.databaseTableName == "lowered")
    #expect(Renamed.databaseTableName == "other name")
  }

  @Test func columnsOfATypeReachItsClosures() {
    struct Player: TableRecord {
      enum Columns {
        static let score = Column("score")
      }
    }
    struct Team: TableRecord {
      struct Components { var name = Column("name") }
      static let databaseComponents = Components()
    }
    #expect(Player.databaseComponents.score.name == "score")
    #expect(Team.databaseComponents.name.name == "name")
  }

  @Test func missingRowsAreNamedByTableAndKey() {
    let error = Books.recordNotFound(key: ["id": 40.databaseValue])
    #expect("\(error)" == "Key not found in table books: [id:40]")
  }
}
