import Foundation
import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Which asynchronous accesses run on the thread of their task.
@Suite struct AccessPlacesTests {
  /// A clock that advances on request.
  private final class Time: Sendable {
    private let now = Atomic<Int>(0)

    var environment: Environment {
      var environment = Environment.live
      environment.clock.now = { [self] in .microseconds(now.load(ordering: .relaxed)) }
      return environment
    }

    func pass(microseconds: Int) { now.add(microseconds, ordering: .relaxed) }
  }

  private final class OwnExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "own")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }

  private func run(_ count: Int, in places: AccessPlaces) {
    for _ in 0..<count { places.watching {} }
  }

  @Test func accessesRunInPlaceOnceSomeWereShort() async {
    let places = AccessPlaces(Time().environment, threads: .init(count: 2))
    run(7, in: places)
    #expect(places.take() == nil)
    run(1, in: places)
    #expect(places.take() != nil)
  }

  @Test func aLongAccessSendsThoseThatFollowElsewhere() async throws {
    let time = Time()
    let places = AccessPlaces(time.environment, threads: .init(count: 2))
    run(8, in: places)
    let place = try #require(places.take())
    time.pass(microseconds: 251)
    places.leave(place)
    #expect(places.take() == nil)
    run(63, in: places)
    #expect(places.take() == nil)
    run(1, in: places)
    #expect(places.take() != nil)
  }

  @Test func anAccessThatIsLongElsewhereCountsToo() async {
    let time = Time()
    let places = AccessPlaces(time.environment, threads: .init(count: 2))
    run(8, in: places)
    places.watching { time.pass(microseconds: 251) }
    #expect(places.take() == nil)
  }

  /// Invariant 2 of `AccessPlaces`.
  @Test(arguments: [(1, 0), (2, 1), (3, 1), (4, 2)])
  func halfOfTheThreadsStayFree(threadCount: Int, placeCount: Int) async {
    let threads = AccessPlaces.Threads(count: threadCount)
    let pools = (0..<4).map { _ in AccessPlaces(Time().environment, threads: threads) }
    for places in pools { run(8, in: places) }
    let taken = pools.map { $0.take() }
    #expect(taken.count { $0 != nil } == placeCount)
    for (places, place) in zip(pools, taken) {
      if let place { places.leave(place) }
    }
    #expect((pools[3].take() != nil) == (placeCount > 0))
  }

  @Test func aPlaceThatIsGivenBackIsFree() async throws {
    let places = AccessPlaces(Time().environment, threads: .init(count: 2))
    run(8, in: places)
    for _ in 0..<3 {
      let place = try #require(places.take())
      places.giveBack(place)
    }
  }

  /// Invariant 4 of `AccessPlaces`.
  @Test func aTaskWithItsOwnExecutorHasNoPlace() async {
    let places = AccessPlaces(Time().environment, threads: .init(count: 2))
    run(8, in: places)
    let hasPlace = await Task(executorPreference: OwnExecutor()) { places.take() != nil }.value
    #expect(!hasPlace)
  }

  @Test func aWorldMayDoWithout() async {
    var environment = Time().environment
    environment.allowsAccessesInPlace = false
    let places = AccessPlaces(environment, threads: .init(count: 2))
    run(8, in: places)
    #expect(places.take() == nil)
  }
}
