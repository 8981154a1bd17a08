import Testing
import Tidemark

/// An error of the test's own.
struct Planned: Error, Equatable {
  var number = 0
}

/// What the error of a closure says, or `nothing thrown`.
func message(of body: () throws -> Void) -> String {
  do {
    try body()
    return "nothing thrown"
  } catch {
    return "\(error)"
  }
}

/// What the error of a closure says, or `nothing thrown`.
func message(of body: () async throws -> Void, isolation: isolated (any Actor)? = #isolation) async -> String {
  do {
    try await body()
    return "nothing thrown"
  } catch {
    return "\(error)"
  }
}

/// What every access to a closed database says.
let closedMessage = "SQLite error 21: Connection is closed"
