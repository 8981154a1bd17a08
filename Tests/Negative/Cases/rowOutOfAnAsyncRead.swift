// What an asynchronous access returns changes tasks, so it must be able to.
// refused: Sendable

import Tidemark

func read(_ queue: DatabaseQueue) async throws {
  _ = try await queue.read { db in try Row.fetchOne(db, sql: "SELECT 1") }
}
