import CBaseline
import Foundation
import Tidemark

private let count = 20_000

/// Nearly empty accesses of a pool: the cost of getting a connection, and of a transaction.
func accesses(_ folder: BenchmarkFolder) throws -> [Workload] {
  let pool = try DatabasePool(path: folder.path("accesses-library.sqlite"))
  let bare = try BareConnection(folder.path("accesses-bare.sqlite"))
  try bare.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000")
  let schema = "CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO counter VALUES (1, 0)"
  try pool.write { try $0.execute(sql: schema) }
  try bare.execute(schema)

  let bareWrite = Workload.Side(name: "C: write") {
    try bare.run(count) { baseline_write_transactions($0, Int64(count)) }
  }
  let bareRead = Workload.Side(name: "C: read") {
    try bare.run(count) { baseline_read_transactions($0, Int64(count)) }
  }
  func workload(
    _ name: String, _ target: Double?, _ bare: Workload.Side, _ work: @escaping () throws -> Void
  ) -> Workload {
    Workload(
      name: name, target: target, count: count, bare: bare, library: Workload.Side(name: name, work: work))
  }
  return [
    workload("access: pool.write", 1.15, bareWrite) {
      for number in 0..<count { try pool.write { try update($0, number) } }
    },
    workload("access: await pool.write", 1.35, bareWrite) {
      try runTask { for number in 0..<count { try await pool.write { try update($0, number) } } }
    },
    workload("access: pool.read", 1.2, bareRead) {
      for _ in 0..<count { try check(pool.read(fetch)) }
    },
    workload("access: await pool.read", 1.35, bareRead) {
      try runTask { for _ in 0..<count { try await check(pool.read(fetch)) } }
    },
    workload("access: await pool.readInline", 1.3, bareRead) {
      try runTask { for _ in 0..<count { try await check(pool.readInline(fetch)) } }
    },
    workload("access: pool.asyncRead, awaited", 4, bareRead) {
      try runTask { for _ in 0..<count { try await check(readElsewhere(pool)) } }
    },
  ]
}

@Sendable
private func update(_ db: Database, _ number: Int) throws {
  try db.execute(sql: "UPDATE counter SET n = ? WHERE id = 1", arguments: [number])
}

@Sendable
private func fetch(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: query) }

/// Reads on a thread of the pool, never inline.
private func readElsewhere(_ pool: DatabasePool) async throws -> Int? {
  try await withCheckedThrowingContinuation { continuation in
    pool.asyncRead { db in continuation.resume(with: Result { try fetch(db.get()) }) }
  }
}

// It reads a table: a transaction that reads nothing takes no lock.
private let query = "SELECT id FROM counter WHERE id = 1"

private func check(_ found: Int?) {
  precondition(found == 1, "There is such a row")
}

/// Runs a task, and waits for its end.
private func runTask(_ work: @escaping @Sendable () async throws -> Void) throws {
  let outcome = Outcome()
  let isDone = DispatchSemaphore(value: 0)
  Task.detached {
    do { try await work() } catch { outcome.error = error }
    isDone.signal()
  }
  isDone.wait()
  if let error = outcome.error { throw error }
}

/// Written before the semaphore is signalled, and read after.
private final class Outcome: @unchecked Sendable {
  var error: (any Error)?
}
