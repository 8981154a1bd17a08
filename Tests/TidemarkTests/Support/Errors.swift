import Testing
import Tidemark

/// An error for tests.
struct Planned: Error, Equatable {
  var number = 0
}

/// The description of the error that a closure throws, or `nothing thrown`.
func message(of body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing thrown"
  } catch {
    return "\(error)"
  }
}

/// The description of the error that a closure throws, or `nothing thrown`.
func message(of body: () async throws -> Void, isolation: isolated (any Actor)? = #isolation) async -> String {
  do {
    try await body()
    return "nothing thrown"
  } catch {
    return "\(error)"
  }
}

/// The error message of every access to a closed database.
let closedMessage = "SQLite error 21: Connection is closed"
