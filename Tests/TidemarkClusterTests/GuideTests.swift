import Foundation
import Testing

import TidemarkCluster

/// The examples of `Documentation/ReplicatedLog.md`.
@Suite struct GuideTests {
  @Test func `an append has one of three results`() async throws {
    let log = InProcessLog().client()
    let entry = LogEntry(after: .start, payload: Array("Hello".utf8))
    let deadline = ContinuousClock.now + .seconds(10)

    switch try await log.append(entry, until: deadline) {
    case .appended(let position): #expect(position.number == 1)
    case .refused(let winner): Issue.record("\(winner.id) was first: apply it, and try again after it")
    case .unknown: Issue.record("Append the same entry again, until the result is another one")
    }
  }

  @Test func `a store has snapshots of positions`() async throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appendingPathComponent("store")
    let database = root.appendingPathComponent("database.db")
    let copy = root.appendingPathComponent("copy.db")
    let position = LogPosition.start
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    try Data("rows".utf8).write(to: database)

    let store = DirectorySnapshotStore(folder)
    try await store.save(database, at: position)

    let latest = try #require(try await store.latest())
    try await store.fetch(latest, to: copy)
    try await store.removeSnapshots(before: latest)

    #expect(latest == position)
    #expect(try Data(contentsOf: copy) == Data("rows".utf8))
  }

  @Test func `clients have faults of their own`() async throws {
    var faults = InProcessLogFaults.all(0.1)
    faults.delay = .milliseconds(5)
    let log = InProcessLog(seed: 7)
    let first = log.client(faults: faults, seed: 1)
    let second = log.client(faults: faults, seed: 2)
    let entries = try await first.appendAll(1...5)
    #expect(try await second.next(5, after: .start) == entries)
  }
}
