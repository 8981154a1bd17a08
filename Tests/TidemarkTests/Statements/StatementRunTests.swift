import CSQLite
import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The runs of a statement: how they begin again, and how they end.
@Suite struct StatementRunTests {
  private static let numbers = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"

  @Test func aRunThatBeginsAgainReturnsTheFirstRow() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: Self.numbers)
      var values: [Int64] = []
      for count in [2, 3] {
        try statement.start()
        for _ in 1...count where try statement.step() {
          values.append(sqlite3_column_int64(statement.sqliteStatement, 0))
        }
      }
      statement.finish()
      #expect(values == [1, 2, 1, 2, 3])
      #expect(db.access.runningStatementCount == 0)
    }
  }

  @Test func uncheckedArgumentsEndTheRun() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT 2")
      statement.setUncheckedArguments([1])
      try statement.start()
      #expect(try statement.step())
      statement.setUncheckedArguments([7, 8])
      #expect(!statement.isRunning)
      #expect(try Int.fetchAll(statement) == [7, 2])
    }
  }

  @Test func argumentsOfALiteralEndTheRun() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?, ? UNION ALL SELECT 2, 3")
      try statement.setArguments([1, 1])
      try statement.start()
      #expect(try statement.step())
      try statement.setArgumentsOfLiteral([7])
      #expect(!statement.isRunning)
      // The literal has fewer arguments than the statement has parameters.
      let error = #expect(throws: DatabaseError.self) { try statement.execute() }
      #expect(error?.message == "wrong number of statement arguments: 1")
      #expect(try Int.fetchAll(statement, arguments: [7, 8]) == [7, 2])
    }
  }

  @Test func aRunThatHoldsARowRefusesOtherArguments() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT ?")
      try statement.setArguments([1])
      #expect(try statement.startHoldingRow())
      let error = #expect(throws: DatabaseError.self) { try statement.start([2]) }
      #expect(error?.message?.hasPrefix("the statement already runs with its arguments") == true)
      #expect(try Int.fetchAll(statement) == [1])
    }
  }

  @Test func aStatementThatIsReleasedWhileItRunsDoesNotRunAnyMore() throws {
    try DatabaseQueue().inDatabase { db throws in
      do {
        let statement = try db.makeStatement(sql: Self.numbers)
        try statement.start()
        #expect(try statement.step())
        #expect(db.access.runningStatementCount == 1)
      }
      #expect(db.access.runningStatementCount == 0)
    }
  }

  @Test func aStatementThatIsReleasedAfterItsAccessDoesNotRunInTheNextOne() throws {
    let dbQueue = try DatabaseQueue()
    let box = Box<Tidemark.Statement>(
      try dbQueue.inDatabase { db throws in
        let statement = try db.makeStatement(sql: Self.numbers)
        try statement.start()
        #expect(try statement.step())
        return UnsafeTransfer(statement)
      }.value)
    box.content = nil
    #expect(dbQueue.inDatabase { $0.access.runningStatementCount } == 0)
    try dbQueue.close()
  }

  @Test func aFailureOfATokenizerIsNotThrownByALaterStatement() throws {
    try DatabaseQueue().inDatabase { db throws in
      let statement = try db.makeStatement(sql: "SELECT same(?)", adding: "same")
      // A tokenizer has failed in a statement that the program has executed with the C interface.
      for attempt in [{ _ = try statement.start([1]) }, { _ = try db.makeStatement(sql: "SELECT 1") }] {
        #expect(TokenizerFailure.record(Planned()) == SQLITE_ERROR)
        try attempt()
        #expect(TokenizerFailure.take(SQLITE_ERROR) == nil)
      }
      statement.finish()
    }
  }
}

extension Database {
  fileprivate func makeStatement(sql: String, adding function: String) throws -> Tidemark.Statement {
    add(function: DatabaseFunction(function, argumentCount: 1) { $0[0] })
    return try makeStatement(sql: sql)
  }
}
