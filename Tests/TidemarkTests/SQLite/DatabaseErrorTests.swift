import Foundation
import Testing
import Tidemark

@Suite struct DatabaseErrorTests {
  private static let clash = DatabaseError(
    resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "clash", sql: " INSERT INTO book VALUES (?) ; \n",
    arguments: [1, "x", nil])

  @Test(arguments: [
    (DatabaseError(), "SQLite error 1: SQL logic error"),
    (DatabaseError(resultCode: .SQLITE_FULL), "SQLite error 13: database or disk is full"),
    (DatabaseError(resultCode: ResultCode(rawValue: 4242)), "SQLite error 146: unknown error"),
    (DatabaseError(message: "mine"), "SQLite error 1: mine"),
    (clash, "SQLite error 19: clash - while executing `INSERT INTO book VALUES (?)`"),
    (DatabaseError(sql: ""), "SQLite error 1: SQL logic error - while executing ``"),
    (DatabaseError(sql: ";; \n;"), "SQLite error 1: SQL logic error - while executing ``"),
    (DatabaseError(arguments: [1]), "SQLite error 1: SQL logic error"),
    (
      DatabaseError(sql: "SELECT ?", arguments: ["x"], publicStatementArguments: true),
      "SQLite error 1: SQL logic error - while executing `SELECT ?` with arguments [\"x\"]"
    ),
    (
      DatabaseError(sql: "SELECT 1", arguments: [], publicStatementArguments: true),
      "SQLite error 1: SQL logic error - while executing `SELECT 1`"
    ),
  ])
  func errorsDescribeCodeMessageAndSQL(error: DatabaseError, text: String) {
    #expect(error.description == text)
    #expect("\(error)" == text)
  }

  @Test func onlyTheExpandedDescriptionShowsArguments() {
    #expect(
      Self.clash.expandedDescription
        == "SQLite error 19: clash - while executing `INSERT INTO book VALUES (?)` with arguments [1, \"x\", NULL]")
    #expect(DatabaseError(sql: "SELECT 1", arguments: []).expandedDescription.hasSuffix("`SELECT 1`"))
  }

  @Test func errorsKeepTheirProperties() {
    #expect(Self.clash.resultCode == .SQLITE_CONSTRAINT)
    #expect(Self.clash.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
    #expect(Self.clash.message == "clash")
    #expect(Self.clash.sql == " INSERT INTO book VALUES (?) ; \n")
    #expect(Self.clash.arguments == [1, "x", nil])
    #expect(DatabaseError().message == "SQL logic error")
    #expect(DatabaseError().sql == nil)
    #expect(DatabaseError().arguments == nil)
  }

  @Test(arguments: [
    (ResultCode.SQLITE_ABORT, true), (.SQLITE_ABORT_ROLLBACK, true), (.SQLITE_INTERRUPT, true),
    (.SQLITE_BUSY, false), (.SQLITE_ERROR, false),
  ])
  func abortsAndInterruptsAreInterruptionErrors(code: ResultCode, isInterruption: Bool) {
    #expect(DatabaseError(resultCode: code).isInterruptionError == isInterruption)
  }

  @Test func foundationSeesCodeMessageAndReason() {
    let error = Self.clash as NSError
    #expect(DatabaseError.errorDomain == "GRDB.DatabaseError")
    #expect(error.domain == "GRDB.DatabaseError")
    #expect(error.code == 2067)
    #expect(error.localizedDescription == Self.clash.description)
    #expect(error.localizedFailureReason == "clash")
  }

  @Test func stepErrorsCarrySQLAndHideArguments() throws {
    let error = try inMemory { db throws in
      try db.execute(sql: "CREATE TABLE book (title TEXT UNIQUE); INSERT INTO book VALUES ('Dune')")
      return try #require(throws: DatabaseError.self) {
        try db.execute(sql: "INSERT INTO book VALUES (?);", arguments: ["Dune"])
      }
    }
    #expect(error.sql == "INSERT INTO book VALUES (?)")
    #expect(error.arguments == ["Dune"])
    let text = "SQLite error 19: UNIQUE constraint failed: book.title - while executing `INSERT INTO book VALUES (?)`"
    #expect(error.description == text)
    #expect(error.expandedDescription == text + " with arguments [\"Dune\"]")
  }

  @Test func argumentsCanBePublic() throws {
    var configuration = Configuration()
    configuration.publicStatementArguments = true
    let text = try inMemory(configuration) { db throws in
      errorText { try Int.fetchOne(db, sql: "SELECT abs(?)", arguments: [Int64.min]) }
    }
    #expect(
      text
        == "SQLite error 1: integer overflow - while executing `SELECT abs(?)` with arguments [-9223372036854775808]")
  }

  @Test func compilationErrorsCarrySQLWithoutArguments() throws {
    let error = try inMemory { db throws in
      try #require(throws: DatabaseError.self) {
        try Row.fetchAll(db, sql: "SELEKT ?", arguments: [1])
      }
    }
    #expect(error.arguments == nil)
    #expect(error.description == "SQLite error 1: near \"SELEKT\": syntax error - while executing `SELEKT ?`")
  }
}
