// The connection does not leave the access it was lent for.
// refused: Sendable

import Tidemark

func read(_ queue: DatabaseQueue) async throws {
  _ = try await queue.read { db in db }
}
