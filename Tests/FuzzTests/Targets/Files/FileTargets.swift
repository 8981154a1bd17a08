import Foundation

@testable import TidemarkEssentials

/// The targets that open damaged files.
let fileTargets: [FuzzTarget] = [
  FuzzTarget("files", maxLength: 256, checkFile),
  FuzzTarget("logs", maxLength: 256, checkLog),
]

/// A folder in memory, if the machine has such a place. It is removed when the process ends.
private let folder: String = {
  let isShared = FileManager.default.isWritableFile(atPath: "/dev/shm")
  let parent = isShared ? "/dev/shm" : FileManager.default.temporaryDirectory.path
  let path = "\(parent)/tidemark-fuzz-\(getpid())"
  do {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  } catch {
    fatalError("\(path): \(error)")
  }
  atexit { removeFolder() }
  return path
}()

private func removeFolder() {
  // Nothing can be done about an error when the process ends.
  try? FileManager.default.removeItem(atPath: folder)
}

private let bases = Result { try BaseFile.all(in: folder) }

// MARK: - Checks

/// Opening, reading, observing and writing a damaged database ends with an error or a result.
private func checkFile(_ input: inout FuzzInput) throws {
  let opening = Opening(&input)
  let isWhole = input.choice(8) == 0
  var base = try bases.get()[input.choice(2)]
  if isWhole {
    let header = Array(base.database.prefix(input.bool() ? 100 : 16))
    base = BaseFile(database: header + input.rest())
  } else {
    base.damage(&input)
  }
  try check(base, opening)
}

/// Opening, reading, observing and writing a database with a damaged write-ahead log ends with an error or a result.
private func checkLog(_ input: inout FuzzInput) throws {
  let opening = Opening(&input)
  var base = try bases.get()[2]
  base.damageLog(&input)
  try check(base, opening)
}

/// How a file is opened.
private struct Opening {
  var isUntrusted: Bool
  var isReadOnly: Bool
  var isPool: Bool
  var hasFeed: Bool

  init(_ input: inout FuzzInput) {
    let flags = input.byte()
    isUntrusted = flags & 1 != 0
    isReadOnly = flags & 2 != 0
    isPool = flags & 12 == 12
    hasFeed = flags & 48 == 48
  }

  var configuration: Configuration {
    var configuration = isUntrusted ? Configuration.forUntrustedFiles : Configuration()
    if isReadOnly { configuration.readonly = true }
    if hasFeed, !isUntrusted, !isReadOnly { configuration.changeFeed = ChangeFeedConfiguration() }
    configuration.durability = .unsafeNoSync
    return configuration
  }
}

private func check(_ base: BaseFile, _ opening: Opening) throws {
  let path = folder + "/db"
  BaseFile.removeFiles(path)
  try Data(base.database).write(to: URL(fileURLWithPath: path))
  if !base.log.isEmpty { try Data(base.log).write(to: URL(fileURLWithPath: path + "-wal")) }
  do {
    let writer: any DatabaseWriter =
      opening.isPool
      ? try DatabasePool(path: path, configuration: opening.configuration)
      : try DatabaseQueue(path: path, configuration: opening.configuration)
    try use(writer, opening)
    try writer.close()
  } catch let error where error is DatabaseError || error is RowDecodingError || error is ChangeFeedError {
    // Refused.
  }
}

/// Runs each step, whatever errors the others throw.
private func use(_ writer: any DatabaseWriter, _ opening: Opening) throws {
  for table in BaseFile.tables { try expectErrors { try writer.read { try read(table, $0) } } }
  for sql in queries { try expectErrors { _ = try writer.read { try Row.fetchAll($0, sql: sql).map(\.description) } } }
  try expectErrors { _ = try writer.read { try $0.primaryKey("a").columns } }
  try observe(writer)
  try expectErrors { _ = try writer.read { try $0.changeToken() } }
  guard !opening.isUntrusted, !opening.isReadOnly else { return }
  for sql in changes { try expectErrors { try writer.write { try $0.execute(sql: sql) } } }
  try expectErrors { _ = try writer.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
  try expectErrors { try writer.vacuum() }
}

private func expectErrors(_ body: () throws -> Void) throws {
  do {
    try body()
  } catch let error where error is DatabaseError || error is RowDecodingError || error is ChangeFeedError {
    // An error is a result.
  }
}

private func read(_ table: String, _ db: Database) throws {
  _ = try db.columns(in: table)
  _ = try db.indexes(on: table)
  _ = try db.foreignKeys(on: table)
  let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table.quotedDatabaseIdentifier) LIMIT 1000")
  while let row = try rows.next() { for value in row.databaseValues { _ = value.description } }
}

private let queries = [
  "SELECT * FROM a ORDER BY x, y LIMIT 100", "SELECT * FROM b WHERE k > 'key2' LIMIT 100",
  "SELECT count(*), max(id) FROM a", "SELECT * FROM va LIMIT 100", "PRAGMA integrity_check(3)",
  "SELECT * FROM f5 WHERE f5 MATCH 'quick'", "SELECT * FROM f4 WHERE f4 MATCH 'lazy'",
  "SELECT * FROM rt WHERE x0 < 1 AND x1 > 2", "SELECT y, count(*) FROM c GROUP BY y LIMIT 100",
]

private let changes = [
  "INSERT INTO a (x) VALUES ('new')", "UPDATE a SET x = x || '!' WHERE id BETWEEN 3 AND 9", "DELETE FROM b WHERE v > 5",
  "INSERT OR REPLACE INTO b VALUES ('key3', 1)", "DROP TABLE c", "CREATE TABLE n AS SELECT * FROM a LIMIT 10",
  "PRAGMA incremental_vacuum(2)",
]

/// Delivers values where they are fetched.
private struct Immediately: ValueObservationScheduler {
  func immediateInitialValue() -> Bool { true }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
}

private func observe(_ writer: any DatabaseWriter) throws {
  let observation = ValueObservation.tracking { db in try DatabaseValue.fetchAll(db, sql: "SELECT x FROM a LIMIT 20") }
  let observer = observation.start(in: writer, scheduling: Immediately(), onError: { _ in }, onChange: { _ in })
  observer.cancel()
}
