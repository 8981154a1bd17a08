import Tidemark
@testable import TidemarkEssentials

/// The set-up of tests of captured changes.
enum Captured {
  static let book = "CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT UNIQUE, pages INTEGER);"
}

/// A queue with a database created by some SQL, and the captured changes.
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
