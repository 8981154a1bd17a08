import Testing
import Tidemark

@testable import TidemarkCluster

extension ClusterDatabase {
  /// Executes a write on a log that loses requests or results, and returns its transaction, whose outcome is unknown.
  ///
  /// On a busy machine, a short time limit may be over before the append. Nothing was written then.
  func lostWrite(_ updates: @escaping @Sendable (Database) throws -> Void) async throws -> ClusterTransactionID {
    var limit = Duration.milliseconds(50)
    while true {
      let error = await #expect(throws: ClusterError.self) { try await write(timeLimit: limit, updates) }
      if let transaction = error?.unknownTransaction { return transaction }
      try #require(limit < .seconds(10), "\(String(describing: error))")
      limit *= 2
    }
  }
}
