import CSQLite
import Foundation
import Tidemark

// The heap memory of a connection that has run a query.

func measureConnectionMemory(_ folder: BenchmarkFolder, _ report: Report) throws {
  let path = folder.path("connections.sqlite")
  let count = 32
  var configuration = Configuration()
  configuration.maximumReaderCount = count
  let pool = try DatabasePool(path: path, configuration: configuration)
  try pool.write { db in try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)") }
  let before = usedMemory()
  readAtOnce(count, pool)
  let ours = Double(usedMemory() - before) / Double(count)

  let sql = "SELECT id FROM item"
  let bareBefore = usedMemory()
  let connections = try (0..<count).map { _ in try BareConnection(path) }
  let statements = try connections.map { try $0.prepare(sql) }
  for statement in statements {
    sqlite3_step(statement)
    sqlite3_reset(statement)
  }
  let bare = Double(usedMemory() - bareBefore) / Double(count)
  statements.forEach { sqlite3_finalize($0) }
  withExtendedLifetime(connections) {}
  for (name, value) in [("a connection, without the library", bare), ("a connection that reads", ours)] {
    report.add(Figure(group: "memory", name: name, value: value, unit: .bytes))
  }
  try pool.close()
}

/// Reads on all connections of a pool at the same time.
private func readAtOnce(_ count: Int, _ pool: DatabasePool) {
  let inside = DispatchSemaphore(value: 0)
  let leave = DispatchSemaphore(value: 0)
  let left = DispatchGroup()
  for _ in 0..<count {
    left.enter()
    Thread.detachNewThread {
      do {
        try pool.read { db in
          _ = try Int.fetchOne(db, sql: "SELECT id FROM item")
          inside.signal()
          leave.wait()
        }
      } catch {
        fatalError("\(error)")
      }
      left.leave()
    }
  }
  for _ in 0..<count { inside.wait() }
  for _ in 0..<count { leave.signal() }
  left.wait()
  // The threads have ended and released their memory.
  usleep(200_000)
}
