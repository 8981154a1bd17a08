import Testing
import Tidemark

@Suite struct ResultCodeTests {
  @Test func primaryCodeIsInTheLowEightBits() {
    #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.primaryResultCode == .SQLITE_CONSTRAINT)
    #expect(ResultCode.SQLITE_BUSY.primaryResultCode == .SQLITE_BUSY)
    #expect(ResultCode(rawValue: 0x1234).primaryResultCode.rawValue == 0x34)
  }

  @Test(arguments: [(2067, "2067 (constraint failed)"), (4242, "4242 (unknown error)"), (0, "0 (not an error)")])
  func resultCodesDescribeThemselves(code: CInt, text: String) {
    #expect(ResultCode(rawValue: code).description == text)
  }

  @Test(arguments: [
    (ResultCode.SQLITE_CONSTRAINT, ResultCode.SQLITE_CONSTRAINT_UNIQUE, true),
    (.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_UNIQUE, true),
    (.SQLITE_CONSTRAINT_CHECK, .SQLITE_CONSTRAINT_UNIQUE, false),
    (.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT, false),
    (.SQLITE_CONSTRAINT, .SQLITE_CONSTRAINT, true),
    (.SQLITE_BUSY, .SQLITE_CONSTRAINT, false),
  ])
  func primaryCodesMatchTheirFamily(pattern: ResultCode, code: ResultCode, matches: Bool) {
    #expect((pattern ~= code) == matches)
    #expect((pattern ~= DatabaseError(resultCode: code) as any Error) == matches)
  }

  @Test func otherErrorTypesAreNotMatched() {
    struct Other: Error {}
    #expect(!(ResultCode.SQLITE_ERROR ~= Other() as any Error))
    #expect(!(ResultCode.SQLITE_ERROR ~= CancellationError() as any Error))
  }

  @Test func catchClausesTakeTheMostPreciseCode() throws {
    func caught(_ insertion: String) throws -> String {
      try inMemory { db throws in
        try db.execute(sql: "CREATE TABLE book (title TEXT UNIQUE, pages INTEGER CHECK (pages > 0))")
        try db.execute(sql: "INSERT INTO book VALUES ('Dune', 412)")
        do {
          try db.execute(sql: insertion)
          return "none"
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
          return "unique"
        } catch DatabaseError.SQLITE_CONSTRAINT {
          return "constraint"
        } catch {
          return "other"
        }
      }
    }
    #expect(try caught("INSERT INTO book VALUES ('Dune', 1)") == "unique")
    #expect(try caught("INSERT INTO book VALUES ('Solaris', 0)") == "constraint")
    #expect(try caught("INSERT INTO shelf VALUES (1)") == "other")
  }

  @Test func switchesMatchFamilies() {
    let error = DatabaseError(resultCode: .SQLITE_IOERR_READ)
    switch error.extendedResultCode {
    case .SQLITE_IOERR_WRITE: Issue.record("another detail")
    case .SQLITE_IOERR: break
    default: Issue.record("no family")
    }
  }
}
