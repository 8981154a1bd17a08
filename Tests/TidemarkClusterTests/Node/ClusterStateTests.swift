import Dispatch
import Synchronization
import Testing
import Tidemark

@testable import TidemarkCluster

/// The states that a node reports.
@Suite(.closesClusters) struct ClusterStateTests {
  @Test func `states are reported in the order of their changes`() async throws {
    let cluster = try TestCluster()
    let node = try await cluster.open("a")
    let states = node.states()
    let count = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 1...5_000 {
        node.node.update { machine, _ in
          machine.logFailed("\(count.wrappingAdd(1, ordering: .relaxed).newValue)")
        }
      }
    }
    try node.close()
    var (last, isOrdered, final) = (0, true, ClusterState.current)
    for await state in states {
      final = state
      guard case .detached(let text) = state, let number = Int(text) else { continue }
      if number < last { isOrdered = false }
      last = number
    }
    #expect(isOrdered)
    #expect(last == 20_000)
    #expect(final == .closed)
  }
}
