// Records visits in an SQLite file, and follows the number of visits of each page with a live query.
//
//     visits FILE PAGE…
//
// The program imports the essentials only. Linked with the static standard library, it runs in a container image that
// contains libc and libsqlite3, and nothing else: see `make container`.

import Dispatch
import FoundationEssentials
import Glibc
import TidemarkEssentials

struct Visit: Codable, FetchableRecord, PersistableRecord {
  var id = UUID()
  var page: String
  var time = Date()

  /// Stored as JSON.
  var tags: [String]
}

struct PageCount: Decodable, Equatable, FetchableRecord {
  var page: String
  var count: Int
}

@main struct Visits {
  /// Not `async`: the main thread of such a program ends with `pthread_exit`, for which glibc loads libgcc_s.
  static func main() {
    let hasEnded = DispatchSemaphore(value: 0)
    Task.detached {
      do {
        try await run()
      } catch {
        print("visits: \(error)")
        exit(1)
      }
      hasEnded.signal()
    }
    hasEnded.wait()
  }

  private static func run() async throws {
    let words = CommandLine.arguments.dropFirst()
    guard let path = words.first else { throw DatabaseError(message: "usage: visits FILE PAGE…") }
    let pages = words.dropFirst()
    let pool = try open(path)
    let total = try await pool.read { try Visit.fetchCount($0) } + pages.count

    async let last = lastCounts(total: total, in: pool)
    for page in pages { try await pool.write { try Visit(page: page, tags: ["new"]).insert($0) } }
    for entry in try await last { print("\(entry.page)\t\(entry.count)") }

    let newest = try await pool.read { try Visit.order(Column("time").desc).fetchOne($0) }
    if let newest { print("last visit: \(newest.page), \(newest.time.formatted(.iso8601)), \(newest.tags)") }
  }

  static func open(_ path: String) throws -> DatabasePool {
    let pool = try DatabasePool(path: path)
    var migrator = DatabaseMigrator()
    migrator.registerMigration("visits") { db in
      try db.create(table: "visit") { t in
        t.primaryKey("id", .blob)
        t.column("page", .text).notNull().indexed()
        t.column("time", .datetime).notNull()
        t.column("tags", .jsonText).notNull()
      }
    }
    try migrator.migrate(pool)
    return pool
  }

  /// Waits until all visits are counted, and returns the number of visits of each page.
  static func lastCounts(total: Int, in pool: DatabasePool) async throws -> [PageCount] {
    let counts = ValueObservation.tracking { db in
      try PageCount.fetchAll(db, sql: "SELECT page, COUNT(*) AS count FROM visit GROUP BY page ORDER BY page")
    }
    for try await value in counts.values(in: pool) where value.map(\.count).reduce(0, +) >= total { return value }
    return []
  }
}
