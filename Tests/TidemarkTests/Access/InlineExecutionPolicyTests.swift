import Foundation
import Synchronization
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Which asynchronous accesses run on the thread of their task.
@Suite struct InlineExecutionPolicyTests {
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

  private func run(_ count: Int, in policy: InlineExecutionPolicy) {
    for _ in 0..<count { policy.measuring {} }
  }

  @Test func shortAccessesRunInline() async {
    let policy = InlineExecutionPolicy(Time().environment, threads: .init(count: 2))
    run(7, in: policy)
    #expect(policy.take() == nil)
    run(1, in: policy)
    #expect(policy.take() != nil)
  }

  @Test func aLongAccessMovesTheFollowingOnesToConnectionThreads() async throws {
    let time = Time()
    let policy = InlineExecutionPolicy(time.environment, threads: .init(count: 2))
    run(8, in: policy)
    let permit = try #require(policy.take())
    time.pass(microseconds: 251)
    policy.leave(permit)
    #expect(policy.take() == nil)
    run(63, in: policy)
    #expect(policy.take() == nil)
    run(1, in: policy)
    #expect(policy.take() != nil)
  }

  @Test func longAccessesOnConnectionThreadsCount() async {
    let time = Time()
    let policy = InlineExecutionPolicy(time.environment, threads: .init(count: 2))
    run(8, in: policy)
    policy.measuring { time.pass(microseconds: 251) }
    #expect(policy.take() == nil)
  }

  /// Invariant 2 of `InlineExecutionPolicy`.
  @Test(arguments: [(1, 0), (2, 1), (3, 1), (4, 2)])
  func halfOfTheThreadsStayFree(threadCount: Int, entryCount: Int) async {
    let threads = InlineExecutionPolicy.Threads(count: threadCount)
    let pools = (0..<4).map { _ in InlineExecutionPolicy(Time().environment, threads: threads) }
    for policy in pools { run(8, in: policy) }
    let taken = pools.map { $0.take() }
    #expect(taken.count { $0 != nil } == entryCount)
    for (policy, permit) in zip(pools, taken) {
      if let permit { policy.leave(permit) }
    }
    #expect((pools[3].take() != nil) == (entryCount > 0))
  }

  @Test func cancelledPermitsAreAvailableAgain() async throws {
    let policy = InlineExecutionPolicy(Time().environment, threads: .init(count: 2))
    run(8, in: policy)
    for _ in 0..<3 {
      let permit = try #require(policy.take())
      policy.cancel(permit)
    }
  }

  /// Invariant 4 of `InlineExecutionPolicy`.
  @Test func tasksWithACustomExecutorAreNotInlined() async {
    let policy = InlineExecutionPolicy(Time().environment, threads: .init(count: 2))
    run(8, in: policy)
    let hasPermit = await Task(executorPreference: OwnExecutor()) { policy.take() != nil }.value
    #expect(!hasPermit)
  }

  @Test func environmentCanDisableInlineExecution() async {
    var environment = Time().environment
    environment.allowsInlineExecution = false
    let policy = InlineExecutionPolicy(environment, threads: .init(count: 2))
    run(8, in: policy)
    #expect(policy.take() == nil)
  }
}
