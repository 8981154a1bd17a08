import Tidemark
@testable import TidemarkEssentials

/// What tests of captured changes begin with.
enum Captured {
  static let book = "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT UNIQUE, pages INTEGER);"
}

/// A queue whose database was made by some SQL, and what is told of its changes.
func captured(
  _ schema: String, _ needs: CaptureNeeds = .all, rowHook: Bool = true, bound: Int? = nil,
  isDefensive: Bool = true
) throws -> (DatabaseQueue, ChangeRecorder) {
  var configuration = Configuration()
  configuration.isDefensive = isDefensive
  configuration.environment.usesRowHook = rowHook
  if let bound { configuration.environment.changeLogBound.recordCount = bound }
  let dbQueue = try DatabaseQueue(configuration: configuration)
  try dbQueue.inDatabase { try $0.execute(sql: schema) }
  return (dbQueue, ChangeRecorder(dbQueue, needs))
}
