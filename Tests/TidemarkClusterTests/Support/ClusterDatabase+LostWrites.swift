import Testing
import Tidemark

@testable import TidemarkCluster

extension ClusterDatabase {
  /// Executes a write on a log that loses requests or results, and returns its transaction, whose outcome is unknown.
  ///
  /// The write is cancelled when the node is in doubt. With a time limit, it could end before its append on a busy
  /// machine.
  func lostWrite(_ updates: @escaping @Sendable (Database) throws -> Void) async throws -> ClusterTransactionID {
    let writing = Task { try await write(updates) }
    for await state in states() where state == .inDoubt { break }
    writing.cancel()
    let error = await #expect(throws: ClusterError.self) { try await writing.value }
    return try #require(error?.unknownTransaction, "\(String(describing: error))")
  }

  /// Executes a write that the log does not accept, and returns its error.
  ///
  /// On a busy machine, a short time limit may be over during an append, whose outcome is unknown then.
  func failedWrite(_ updates: @escaping @Sendable (Database) throws -> Void) async throws -> ClusterError {
    var limit = Duration.milliseconds(100)
    while true {
      let error = try await #require(throws: ClusterError.self) { try await write(timeLimit: limit, updates) }
      if error.unknownTransaction == nil { return error }
      try #require(limit < .seconds(10), "\(error)")
      limit *= 2
    }
  }
}
