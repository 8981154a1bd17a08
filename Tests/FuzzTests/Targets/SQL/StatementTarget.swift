import Foundation

@testable import TidemarkEssentials

/// Statements end with an error or with a result, while transaction observers and change capture are active, and the
/// transaction can be rolled back. The limits keep each statement short.
func checkStatements(_ input: inout FuzzInput) throws {
  let sql = input.sql()
  let dbQueue = try DatabaseQueue(configuration: FuzzInput.limitedConfiguration)
  do {
    try dbQueue.inDatabase { db in
      try db.execute(sql: FuzzInput.schema)
      db.add(transactionObserver: ChangeCounter(), extent: .databaseLifetime)
    }
  } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
    // The machine is so busy that the schema has taken too long.
    return
  }
  do {
    try dbQueue.inDatabase { db in try check(sql, db) }
    try dbQueue.inDatabase { db in
      if db.isInsideTransaction { try db.execute(sql: "ROLLBACK") }
      _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
    }
  } catch is DatabaseError {
    // The statements have ended the transaction, or left it open, or made the database unusable.
  }
}

private func check(_ sql: String, _ db: Database) throws {
  do {
    let statement = try db.makeStatement(sql: sql)
    _ = statement.databaseRegion.description
    _ = statement.columnNames
  } catch is DatabaseError {
    // Rejected.
  }
  try db.inSavepoint {
    for row in try Row.fetchAll(db, sql: "SELECT * FROM a") { _ = row.description }
    do {
      let statements = try db.allStatements(sql: sql)
      var count = 0
      while count < 10, let statement = try statements.next() {
        count += 1
        // Missing arguments are refused; pragmas can change the limits.
        if mayChangeLimits(statement.sql) { continue }
        var rowCount = 0
        let rows = try Row.fetchCursor(statement)
        while rowCount < 100, let row = try rows.next() {
          rowCount += 1
          for value in row.databaseValues { _ = value.description }
        }
      }
    } catch is DatabaseError {
      // Refused.
    }
    return .rollback
  }
}

/// Whether a statement could take long whatever the limits are, or could change the file.
private func mayChangeLimits(_ sql: String) -> Bool {
  let text = sql.uppercased()
  return ["PRAGMA", "VACUUM", "ATTACH"].contains { text.contains($0) }
}

extension FuzzInput {
  /// A configuration whose limits keep each statement short.
  static let limitedConfiguration: Configuration = {
    var configuration = Configuration()
    configuration.allowsAttachedFiles = false
    configuration.allowsUnsafeTransactions = true
    configuration.accessTimeLimit = .milliseconds(200)
    configuration.limits = [
      .valueSize: 100_000, .statementSize: 10_000, .columnCount: 100, .expressionDepth: 100, .compoundSelectCount: 20,
      .instructionCount: 20_000, .functionArgumentCount: 32, .attachedDatabaseCount: 0, .patternSize: 100,
      .parameterCount: 1000, .triggerDepth: 5,
    ]
    return configuration
  }()
}

private final class ChangeCounter: TransactionObserver {
  private var count = 0

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
  func databaseDidChange(with event: DatabaseEvent) { count += event.tableName.utf8.count }
  func databaseDidCommit(_ db: Database) {}
  func databaseDidRollback(_ db: Database) { count = 0 }
}
