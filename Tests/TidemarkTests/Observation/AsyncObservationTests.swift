import TestSupport
import Testing
import Tidemark

/// The values of an observation, iterated.
@Suite(.untilItHangs) struct AsyncObservationTests {
  @Test(arguments: Observed.allCases)
  func valuesAreIterated(_ observed: Observed) async throws {
    try await observed.withDatabase { writer in
      var values: [Int] = []
      for try await count in ValueObservationTests.playerCount.values(in: AnyDatabaseWriter(writer)) {
        values.append(count)
        if count == 3 { break }
        try await writer.write { try $0.addPlayer("\(count)") }
      }
      #expect(values == [0, 1, 2, 3])
      #expect(writer.observationMetrics.observationCount == 0)
    }
  }

  @Test(arguments: Observed.allCases)
  func cancelledTasksLeaveTheLoop(_ observed: Observed) async throws {
    try await observed.withDatabase { writer in
      let hasBegun = Moment()
      let task = Task {
        for try await _ in ValueObservationTests.playerCount.values(in: AnyDatabaseWriter(writer)) { hasBegun.happen() }
        return "left"
      }
      await hasBegun.reached()
      task.cancel()
      let end = try await task.value
      #expect(end == "left")
      #expect(writer.observationMetrics.observationCount == 0)
    }
  }

  @Test(arguments: Observed.allCases)
  func errorsAreThrownToTheLoop(_ observed: Observed) async throws {
    try await observed.withDatabase { writer in
      let text = await message {
        for try await _ in ValueObservationTests.playerCount.values(in: AnyDatabaseWriter(writer)) {
          try await writer.write { try $0.execute(sql: "DROP TABLE player") }
        }
      }
      #expect(text.contains("no such table: player"))
    }
  }

  @Test(arguments: Observed.allCases)
  func closingTheDatabaseEndsTheLoop(_ observed: Observed) async throws {
    try await observed.withDatabase { writer in
      let text = await message {
        for try await _ in ValueObservationTests.playerCount.values(in: AnyDatabaseWriter(writer)) {
          try writer.close()
        }
      }
      #expect(text == closedMessage)
    }
  }

  @Test(arguments: Observed.allCases)
  func slowConsumersReceiveTheNewestValue(_ observed: Observed) async throws {
    try await observed.withDatabase { writer in
      var iterator = ValueObservationTests.playerCount.values(in: AnyDatabaseWriter(writer)).makeAsyncIterator()
      #expect(try await iterator.next() == 0)
      // Another observation of the same value shows when everything has been fetched.
      let (deliveries, cancellable) = ValueObservationTests.playerCount.collect(in: AnyDatabaseWriter(writer))
      for number in 1...50 { try await writer.write { try $0.addPlayer("\(number)") } }
      try deliveries.wait(forLast: 50)
      try await writer.write { try $0.addPlayer("51") }
      try deliveries.wait(forLast: 51)
      var values: [Int] = []
      while values.last != 51, let value = try await iterator.next() { values.append(value) }
      #expect(values.count <= 3)
      cancellable.cancel()
    }
  }

  @Test(arguments: Observed.allCases)
  func unboundedBufferingKeepsEveryValue(_ observed: Observed) async throws {
    try await observed.withDatabase { writer in
      let sequence = ValueObservationTests.playerCount.values(
        in: AnyDatabaseWriter(writer), bufferingPolicy: .unbounded)
      var iterator = sequence.makeAsyncIterator()
      let (deliveries, cancellable) = ValueObservationTests.playerCount.collect(in: AnyDatabaseWriter(writer))
      try deliveries.wait(forLast: 0)
      for number in 1...20 {
        try await writer.write { try $0.addPlayer("\(number)") }
        try deliveries.wait(forLast: number)
      }
      var values: [Int] = []
      while values.last != 20, let value = try await iterator.next() { values.append(value) }
      #expect(values == Array(0...20))
      cancellable.cancel()
    }
  }
}

extension Observed {
  /// Runs a closure with a database that has a table `player(id, name, score)` and one `team(id, name)`.
  func withDatabase(_ body: (any DatabaseWriter) async throws -> Void) async throws {
    let database = try open()
    try await body(database.writer)
    withExtendedLifetime(database.folder) {}
  }
}
