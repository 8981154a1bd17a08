import Foundation
import TestSupport
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Invariant: no access waits for the writer while it holds a reader for which the writer waits.
@Suite(.untilItHangs) struct NestedWriteTests {
  let folder: TemporaryFolder
  let pool: DatabasePool
  private let refusal =
    "SQLite error 6: deadlock avoided: this write waits for a writer that waits for the end of the read around it. "
    + "Write after the read, not inside it."

  init() throws {
    folder = try TemporaryFolder()
    pool = try folder.tablePool { $0.maximumReaderCount = 2 }
  }

  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test func nestedWriteWaitsForTheWriter() throws {
    let pool = pool
    let other = try LongAccess { last in
      try pool.write { db in
        try last()
        try db.insert(1)
      }
    }
    let nested = Background { try pool.read { _ in try pool.write { try $0.insert(2) } } }
    try waitUntil { pool.readers.load.busy == 1 }
    try other.end()
    try nested.value()
    #expect(try pool.read { try $0.numbers() } == [1, 2])
  }

  @Test func nestedWriteIsRefusedIfTheWriterWaitsForTheRead() throws {
    let pool = pool
    let isReading = Moment()
    let barrier = try LongAccess { last in
      try pool.writeWithoutTransaction { db in
        try last()
        // It waits for all readers, as a barrier does.
        try pool.readers.exclusively { try db.insert(1) }
      }
    }
    let nested = Background {
      try pool.read { _ in
        isReading.happen()
        return message { try pool.write { try $0.insert(2) } }
      }
    }
    try isReading.wait()
    barrier.mayGoOn()
    #expect(try nested.value() == refusal)
    try barrier.end()
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  @Test(arguments: ["write", "writeInTransaction", "barrier", "makeSnapshotPool"])
  func nestedWriteIsRefusedIfABarrierWaitsForTheRead(kind: String) throws {
    let pool = pool
    let nested = try LongAccess { last in
      try pool.read { _ in
        // Until the barrier waits.
        try last()
        return message {
          switch kind {
          case "write": try pool.write { try $0.insert(2) }
          case "writeInTransaction": try pool.writeInTransaction { _ in .commit }
          case "makeSnapshotPool": _ = try pool.makeSnapshotPool()
          default: try pool.barrierWriteWithoutTransaction { try $0.insert(2) }
          }
        }
      }
    }
    let barrier = Background { try pool.barrierWriteWithoutTransaction { try $0.insert(1) } }
    try waitUntil { pool.readers.load.waiting == 1 }
    #expect(try nested.end() == refusal)
    try barrier.value()
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  @Test func releasingMemoryInsideAReadDoesNotWaitForTheWriter() throws {
    let pool = pool
    let read = try LongAccess { last in
      try pool.read { _ in
        // Until the barrier waits.
        try last()
        pool.releaseMemory()
      }
    }
    let barrier = Background { try pool.barrierWriteWithoutTransaction { try $0.insert(1) } }
    try waitUntil { pool.readers.load.waiting == 1 }
    try read.end()
    try barrier.value()
    #expect(try pool.read { try $0.numbers() } == [1])
  }

  @Test func asynchronousBarriersDoNotDeadlock() async throws {
    let pool = pool
    let nested = await LongAccess { last in
      try pool.read { _ in
        // Until the barrier waits.
        try last()
        return message { try pool.write { try $0.insert(2) } }
      }
    }
    let barrier = Task { try await pool.barrierWriteWithoutTransaction { try $0.insert(1) } }
    try await waitUntil { pool.readers.load.waiting == 1 }
    #expect(try await nested.end() == refusal)
    try await barrier.value
    #expect(try await pool.read { try $0.numbers() } == [1])
  }

  @Test func readersWaitingForTheWriterDoNotBlockItsReads() throws {
    let pool = pool
    let writer = try LongAccess { last in
      try pool.writeWithoutTransaction { db in
        try db.insert(1)
        try last()
        return try pool.read { try $0.numbers() }
      }
    }
    let nested = (0..<2).map { _ in
      Background { try pool.read { _ in message { try pool.write { try $0.insert(2) } } } }
    }
    try waitUntil { pool.readers.load.busy == 2 }
    #expect(try writer.end() == [1])
    let messages = try nested.map { try $0.value() }
    #expect(messages.contains(refusal))
  }

  @Test func cancelledBarriersReleaseWaitingAccesses() async throws {
    let pool = pool
    let read = await LongAccess { last in try pool.read { _ in try last() } }
    let barrier = Task { try await pool.barrierWriteWithoutTransaction { try $0.insert(1) } }
    try await waitUntil { pool.readers.load.waiting == 1 }
    barrier.cancel()
    await #expect(throws: CancellationError.self) { try await barrier.value }
    // Neither the writer nor the other reader is blocked.
    try await pool.write { try $0.insert(2) }
    #expect(try await pool.read { try $0.numbers() } == [2])
    try await read.end()
  }
}
