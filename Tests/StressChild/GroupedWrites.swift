import Foundation
import Tidemark

// Writes of several tasks at the same time, which share transactions of SQLite. Each task waits for the return of one
// write before it makes the next one.

private let taskCount = 16

/// The acknowledgement of a write of a task: the parent counts the writes of each task.
private func acknowledge(_ number: Int, of task: Int) { acknowledge(task << 32 | number) }

private func inTasks(_ body: @escaping @Sendable (_ task: Int) async throws -> Void) throws {
  try waiting {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<taskCount { group.addTask { try await body(task) } }
      try await group.waitForAll()
    }
  }
}

private struct Undone: Error {}

/// Inserts pairs of rows in several tasks, and acknowledges the number of each write of a task.
///
/// Some closures throw after their changes, and some make SQLite roll back the transaction of all.
func writeInTasks(path: String, name: String) throws {
  let pool = try makePool(path, groupsWrites: true)
  try inTasks { task in
    let name = "\(name) task \(task)"
    for number in 1... {
      try await pool.write { try insert(number, of: name, $0) }
      acknowledge(number, of: task)
      do {
        if (number + task) % 5 == 0 {
          try await pool.write { db in
            try insert(-number, of: name, db)
            throw Undone()
          }
        }
        if (number + task) % 17 == 0 {
          try await pool.write { db in
            try insert(-number, of: name, db)
            try db.execute(sql: "INSERT OR ROLLBACK INTO one (name, n) VALUES (?, 1)", arguments: [name])
          }
        }
      } catch is Undone {
      } catch DatabaseError.SQLITE_CONSTRAINT {}
    }
  }
}

/// A control: acknowledges each write in its closure, before the commit.
func acknowledgeInClosures(path: String, name: String) throws {
  let pool = try makePool(path, groupsWrites: true)
  try inTasks { task in
    for number in 1... {
      try await pool.write { db in
        try insert(number, of: "\(name) task \(task)", db)
        acknowledge(number, of: task)
      }
    }
  }
}

/// Writes two events at a time in several tasks, with the change feed, and acknowledges each write. Meanwhile, a
/// consumer copies the events, as in `feed`.
func feedInTasks(path: String, name: String) throws {
  let pool = try makeFeedPool(path, groupsWrites: true)
  copyEvents(pool, name)
  try inTasks { task in
    for number in 1... {
      let event = task << 32 | number
      try await pool.write { db in
        for _ in 0..<2 { try insertEvent(event, of: name, db) }
      }
      acknowledge(event)
      guard (number + task) % 5 == 0 else { continue }
      do {
        try await pool.write { db in
          try insertEvent(-event, of: name, db)
          throw Undone()
        }
      } catch is Undone {}
    }
  }
}
