import CBaseline
import Foundation
import Tidemark

private let group = "reads of 50 rows at the same time"
private let readCount = 4_000

/// Many readers: tasks of a pool, and threads in C with one connection each, with and without a concurrent writer.
///
/// The figures are elapsed time, not processor time.
func measureConcurrentReads(_ folder: BenchmarkFolder, rounds: Int, _ report: Report) throws {
  let path = folder.path("concurrent.sqlite")
  let pool = try DatabasePool(path: path)
  try pool.write { db in
    try db.execute(
      sql: """
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, ratio REAL, data BLOB, date TEXT);
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
        INSERT INTO item
        SELECT n, 'the name of item ' || (n % 64), n, n * 0.5, zeroblob(32), '2023-11-14 22:13:20.123' FROM number;
        CREATE TABLE counter (n INTEGER);
        INSERT INTO counter VALUES (0);
        """)
  }
  for isWritten in [false, true] {
    for count in [1, 2, 4, 8] {
      var times: [String: Double] = [:]
      for _ in 0..<rounds {
        for (name, work) in [("C", bareReads), ("sync", blockingReads), ("await", taskReads)] {
          let writer = isWritten ? Writer(pool) : nil
          let start = DispatchTime.now().uptimeNanoseconds
          try work(pool, path, count)
          let time = Double(DispatchTime.now().uptimeNanoseconds - start) / Double(readCount)
          writer?.stop()
          times[name] = min(times[name] ?? .infinity, time)
        }
      }
      let bare = times["C"] ?? .nan
      for (name, target) in [("sync", 1.5), ("await", 2)] {
        let callers = name == "sync" ? "threads" : "tasks, await"
        report.add(
          Figure(
            group: group, name: "\(count) \(callers)" + (isWritten ? ", and one writes" : ""),
            value: (times[name] ?? .nan) / bare, unit: .ratio, target: target, bare: bare, library: times[name]))
      }
    }
  }
  try pool.close()
}

private let sql = "SELECT * FROM item WHERE id >= ? ORDER BY id LIMIT 50"

// MARK: - Readers

private func taskReads(_ pool: DatabasePool, _ path: String, _ count: Int) throws {
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<count {
        group.addTask {
          for number in 0..<readCount / count {
            let items = try? await pool.read { try fetch($0, worker + number) }
            precondition(items == 50, "A read failed")
          }
        }
      }
    }
    isDone.signal()
  }
  isDone.wait()
}

private func blockingReads(_ pool: DatabasePool, _ path: String, _ count: Int) throws {
  onThreads(count) { worker in
    for number in 0..<readCount / count {
      let items = try? pool.read { try fetch($0, worker + number) }
      precondition(items == 50, "A read failed")
    }
  }
}

@Sendable
private func fetch(_ db: Database, _ number: Int) throws -> Int {
  try PositionalItem.fetchAll(db, sql: sql, arguments: [1 + number % 9000]).count
}

private func bareReads(_ pool: DatabasePool, _ path: String, _ count: Int) throws {
  onThreads(count) { worker in
    do {
      let bare = try BareConnection(path)
      try bare.run(readCount / count) { baseline_read_pages($0, Int64(worker), Int64(readCount / count)) }
    } catch {
      fatalError("\(error)")
    }
  }
}

private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let all = DispatchGroup()
  for worker in 0..<count {
    all.enter()
    Thread.detachNewThread {
      body(worker)
      all.leave()
    }
  }
  all.wait()
}

/// Writes a row repeatedly, on a thread of its own.
private final class Writer: @unchecked Sendable {
  private let lock = NSLock()
  private var isStopped = false
  private let isDone = DispatchSemaphore(value: 0)

  init(_ pool: DatabasePool) {
    Thread.detachNewThread { [self] in
      while !lock.withLock({ isStopped }) {
        do {
          try pool.write { try $0.execute(sql: "UPDATE counter SET n = n + 1") }
        } catch {
          fatalError("\(error)")
        }
        usleep(200)
      }
      isDone.signal()
    }
  }

  func stop() {
    lock.withLock { isStopped = true }
    isDone.wait()
  }
}
