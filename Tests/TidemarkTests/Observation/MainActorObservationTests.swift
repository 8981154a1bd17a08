import Dispatch
import TestSupport
import Testing
import Tidemark

/// Observations that deliver on the main actor.
@Suite(.untilItHangs) struct MainActorObservationTests {
  /// Starts an observation with the requirements of any scheduler.
  private func start(
    in database: Observed.Opened, scheduling scheduler: some ValueObservationScheduler,
    onChange: @escaping @Sendable (Int) -> Void
  ) -> AnyDatabaseCancellable {
    ValueObservationTests.playerCount.start(
      in: AnyDatabaseWriter(database.writer), scheduling: scheduler, onError: { Issue.record($0) }, onChange: onChange)
  }

  @MainActor @Test(arguments: Observed.allCases)
  func `values are delivered on the main actor after the start has returned`(_ observed: Observed) async throws {
    let database = try observed.open()
    let (values, continuation) = AsyncStream.makeStream(of: Int.self)
    let hasReturned = Locked(false)
    let cancellable = ValueObservationTests.playerCount.start(
      in: AnyDatabaseWriter(database.writer), onError: { Issue.record($0) },
      onChange: { count in
        #expect(hasReturned.value)
        continuation.yield(count)
      })
    hasReturned.update { $0 = true }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    try await database.writer.write { try $0.addPlayer("Arthur") }
    #expect(await iterator.next() == 1)
    cancellable.cancel()
  }

  @MainActor @Test(arguments: Observed.allCases)
  func `an immediate start delivers its first value before it returns`(_ observed: Observed) async throws {
    let database = try observed.open()
    let (values, continuation) = AsyncStream.makeStream(of: Int.self)
    var received: [Int] = []
    let cancellable = ValueObservationTests.playerCount.start(
      in: AnyDatabaseWriter(database.writer), scheduling: .immediate, onError: { Issue.record($0) },
      onChange: { count in
        received.append(count)
        continuation.yield(count)
      })
    #expect(received == [0])
    try await database.writer.write { try $0.addPlayer("Arthur") }
    var iterator = values.makeAsyncIterator()
    _ = await iterator.next()
    #expect(await iterator.next() == 1)
    cancellable.cancel()
  }

  @MainActor @Test(arguments: Observed.allCases)
  func `an error is delivered on the main actor`(_ observed: Observed) async throws {
    let database = try observed.open()
    let (errors, continuation) = AsyncStream.makeStream(of: String.self)
    let observation = ValueObservation.tracking { _ -> Int in throw Planned(number: 4) }
    var messages: [String] = []
    let cancellable = observation.start(
      in: AnyDatabaseWriter(database.writer),
      onError: { error in
        messages.append("\(error)")
        continuation.yield("\(error)")
      }, onChange: { _ in Issue.record("The fetch fails") })
    var iterator = errors.makeAsyncIterator()
    _ = await iterator.next()
    #expect(messages == ["Planned(number: 4)"])
    cancellable.cancel()
  }

  @Test(arguments: Observed.allCases)
  func `an observation that starts on another thread can deliver on the main queue`(_ observed: Observed) async throws {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    let database = try observed.open()
    let (values, continuation) = AsyncStream.makeStream(of: Bool.self)
    let cancellable = start(in: database, scheduling: .mainActor) { _ in
      continuation.yield(DispatchQueue.getSpecific(key: key) == true)
    }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == true)
    cancellable.cancel()
  }

  @Test func `an immediate start on another thread traps`() async {
    await #expect(processExitsWith: .failure) {
      let queue = try DatabaseQueue()
      try await queue.write { try $0.createPlayers() }
      _ = ValueObservationTests.playerCount.collect(in: queue, scheduling: .immediate)
    }
  }

  @Test(arguments: Observed.allCases)
  func `tasks that deliver have the requested priority`(_ observed: Observed) async throws {
    let database = try observed.open()
    let (values, continuation) = AsyncStream.makeStream(of: TaskPriority.self)
    let cancellable = start(in: database, scheduling: .task(priority: .low)) { _ in
      continuation.yield(Task.currentPriority)
    }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == .low)
    cancellable.cancel()
  }
}
