import Foundation
import Testing
import Tidemark

@testable import TidemarkCluster
import TidemarkEssentials

/// When the caller of a write is resumed, and with which result.
@Suite struct PendingWriteTests {
  private struct Surrender: Error {}

  /// A write whose caller waits, and its results.
  private func waiting() -> (PendingWrite, ProtectedValue<[String]>) {
    let results = ProtectedValue<[String]>([])
    let write = PendingWrite(until: .now, run: { _ in })
    write.wait { result in
      results.withLock { results in
        switch result {
        case .success: results.append("success")
        case .failure(ClusterError.outcomeUnknown(let id)): results.append("unknown at \(id.entryNumber)")
        case .failure(let error): results.append("\(error)")
        }
      }
    }
    return (write, results)
  }

  @Test func theCallerIsResumedOnce() {
    let (write, results) = waiting()
    write.finish(.success(.start))
    write.finish(.success(.start))
    write.giveUp(Surrender())
    #expect(results.withLock { $0 } == ["success"])
    #expect(!write.isWanted)
  }

  @Test func aWriteThatIsGivenUpBeforeItsExecutionIsNotExecuted() {
    let (write, results) = waiting()
    write.giveUp(Surrender())
    #expect(results.withLock { $0 } == ["Surrender()"])
    #expect(!write.willExecute())
  }

  @Test func aWriteThatIsGivenUpInItsExecutionIsUnknownOnceItIsAppended() {
    let (write, results) = waiting()
    #expect(write.willExecute())
    write.giveUp(Surrender())
    #expect(results.withLock { $0 } == [])
    write.willAppend(as: 7)
    #expect(results.withLock { $0 } == ["unknown at 7"])
  }

  @Test func aWriteThatIsGivenUpInItsExecutionHasFailedIfItIsNotAppended() {
    let (write, results) = waiting()
    #expect(write.willExecute())
    write.giveUp(Surrender())
    write.wasNotAppended()
    #expect(results.withLock { $0 } == ["Surrender()"])
  }

  @Test func aRefusedWriteCanBeGivenUp() {
    let (write, results) = waiting()
    #expect(write.willExecute())
    write.willAppend(as: 7)
    write.wasNotAppended()
    write.giveUp(Surrender())
    #expect(results.withLock { $0 } == ["Surrender()"])
  }

  @Test func aCallerThatComesLateReceivesTheResult() {
    let results = ProtectedValue<[String]>([])
    let write = PendingWrite(until: .now, run: { _ in })
    write.giveUp(Surrender())
    write.wait { result in if case .failure(let error) = result { results.withLock { $0.append("\(error)") } } }
    #expect(results.withLock { $0 } == ["Surrender()"])
  }
}
