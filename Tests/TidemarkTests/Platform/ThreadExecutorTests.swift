import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The threads of asynchronous accesses.
@Suite(.enabled(if: ProcessCounters.areAvailable)) struct ThreadExecutorTests {
  private func name(ofThreadOf executor: ThreadExecutor) async -> String? {
    await withCheckedContinuation { continuation in
      executor.execute { continuation.resume(returning: ProcessCounters.nameOfThisThread) }
    }
  }

  /// Invariant: each thread has the name of its connection from its first access on. It once had none in one of some
  /// thousand runs, depending on which thread was faster, the new one or its parent.
  @Test func threadsAreNamedAfterTheirConnection() async {
    for number in 0..<2000 {
      let executor = ThreadExecutor(label: "reader \(number)", threadCountMax: 1)
      #expect(await name(ofThreadOf: executor) == "reader \(number)")
    }
  }

  /// The stack size of threads is limited by the system, or by the parent process (hazard S10).
  @Test func threadsHaveEightMebibytesOfStack() async {
    let executor = ThreadExecutor(label: "deep", threadCountMax: 1)
    let size = await withCheckedContinuation { continuation in
      executor.execute { continuation.resume(returning: Thread.current.stackSize) }
    }
    #expect(size == 8 << 20)
  }

  @Test func deepestAllowedExpressionFitsTheStack() async throws {
    let dbQueue = try DatabaseQueue()
    @Sendable func sum(_ count: Int) -> String { "SELECT " + String(repeating: "1 + ", count: count - 1) + "1" }
    #expect(try await dbQueue.read { try Int.fetchOne($0, sql: sum(999)) } == 999)
    let error = await #expect(throws: DatabaseError.self) {
      try await dbQueue.read { try Int.fetchOne($0, sql: sum(1002)) }
    }
    #expect(error?.message?.contains("Expression tree is too large") == true)
  }

  @Test func jobsAfterRetirementRun() async {
    let executor = ThreadExecutor(label: "retired", threadCountMax: 2)
    executor.retire()
    for _ in 0..<20 { #expect(await name(ofThreadOf: executor) == "retired") }
    executor.retire()
  }

  @Test func idleExecutorsLeaveNoThreads() async throws {
    let executor = ThreadExecutor(label: "soon gone", threadCountMax: 3)
    for _ in 0..<10 { _ = await name(ofThreadOf: executor) }
    #expect(ProcessCounters.threadCount(named: "soon gone") > 0)
    executor.retire()
    try await waitUntil("all threads have ended") { ProcessCounters.threadCount(named: "soon gone") == 0 }
  }

  /// As many threads as the executor may have, each with a job that waits for all others.
  @Test func jobsRunConcurrentlyUpToTheThreadLimit() throws {
    let executor = ThreadExecutor(label: "three", threadCountMax: 3)
    let moments = (0..<3).map { _ in Moment() }
    let ends = (0..<3).map { _ in Moment() }
    for number in 0..<3 {
      executor.execute {
        moments[number].happen()
        for moment in moments { #expect(throws: Never.self) { try moment.wait() } }
        ends[number].happen()
      }
    }
    for end in ends { try end.wait() }
  }
}
