import Foundation
import Testing

@testable import TidemarkCluster

@Suite struct DirectorySnapshotStoreTests {
  private let folder: SnapshotFolder

  init() throws { folder = try SnapshotFolder() }

  @Test(arguments: [0, 1, 71, 72, 73, 1 << 20, 1 << 20 + 1])
  func `a fetched file has the bytes of the saved one`(count: Int) async throws {
    let bytes = sampleBytes(count)
    try await folder.store.save(folder.file(bytes), at: .sample(7))
    try await folder.store.fetch(.sample(7), to: folder.target())
    #expect(try Data(contentsOf: folder.target()) == Data(bytes))
    #expect(try folder.names == [SnapshotName.name(of: .sample(7))])
    #expect(try folder.partialNames == [])
  }

  @Test func `a snapshot is the file, its position, and the digest of both`() async throws {
    try await folder.store.save(folder.file([1, 2, 3]), at: .sample(7))
    let signed = [1, 2, 3] + LogPosition.sample(7).encoded
    #expect(try Array(Data(contentsOf: folder.path(of: .sample(7)))) == signed + SHA256.digest(of: signed))
  }

  @Test func `the latest snapshot has the largest number`() async throws {
    for number in [9, 1_000, 10] as [UInt64] {
      try await folder.store.save(folder.file([1]), at: .sample(number))
    }
    #expect(try await folder.store.latest() == .sample(1_000))
  }

  @Test func `there is no latest snapshot without a folder, and in an empty one`() async throws {
    #expect(try await folder.store.latest() == nil)
    try FileManager.default.createDirectory(at: folder.shared, withIntermediateDirectories: true)
    #expect(try await folder.store.latest() == nil)
  }

  @Test func `saving creates the folder and those above it`() async throws {
    let store = DirectorySnapshotStore(folder.shared.appendingPathComponent("a/b"))
    try await store.save(folder.file([1]), at: .sample(1))
    #expect(try await store.latest() == .sample(1))
  }

  @Test func `saving a position again replaces its snapshot`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    try await folder.store.save(folder.file([2]), at: .sample(1))
    try await folder.store.fetch(.sample(1), to: folder.target())
    #expect(try Data(contentsOf: folder.target()) == Data([2]))
    #expect(try folder.names.count == 1)
  }

  @Test func `snapshots with smaller numbers are removed`() async throws {
    for number in 1...4 as ClosedRange<UInt64> { try await folder.store.save(folder.file([1]), at: .sample(number)) }
    try await folder.store.removeSnapshots(before: .sample(3))
    #expect(try folder.names == [3, 4].map { SnapshotName.name(of: .sample($0)) })
    try await folder.store.removeSnapshots(before: .sample(3))
    #expect(try folder.names.count == 2)
  }

  @Test func `removing from a folder that does not exist is harmless`() async throws {
    try await folder.store.removeSnapshots(before: .sample(3))
  }

  @Test func `foreign files are ignored, and stay`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    let name = SnapshotName.name(of: .sample(9))
    let foreign = ["readme.txt", "99-\(name)", "\(name).bak", "\(name)-1.partial", "\(UUID().uuidString).partial"]
    for name in foreign {
      let file = folder.shared.appendingPathComponent(name)
      try Data([0]).write(to: file)
      try folder.age(file, minutes: 600)
    }
    #expect(try await folder.store.latest() == .sample(1))
    try await folder.store.save(folder.file([1]), at: .sample(2))
    try await folder.store.removeSnapshots(before: .sample(10))
    #expect(try folder.names == foreign.sorted())
  }

  // MARK: - Incomplete files

  @Test func `other nodes see a snapshot when it is complete`() async throws {
    var store = folder.store
    let bytes = try folder.file(sampleBytes(1 << 20 + 1))
    store.didCopyChunk = { [folder] in
      let names = try folder.names
      #expect(names.count == 1)
      #expect(names.allSatisfy { $0.hasSuffix(".partial") })
    }
    try await store.save(bytes, at: .sample(1))
    #expect(try folder.names == [SnapshotName.name(of: .sample(1))])
  }

  @Test func `a fetched file appears when it is complete`() async throws {
    try await folder.store.save(folder.file(sampleBytes(1 << 20 + 1)), at: .sample(1))
    var store = folder.store
    store.didCopyChunk = { [folder] in #expect(!FileManager.default.fileExists(atPath: folder.target().path)) }
    try await store.fetch(.sample(1), to: folder.target())
    #expect(FileManager.default.fileExists(atPath: folder.target().path))
  }

  @Test func `saving removes incomplete files that were not changed for an hour`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    let files = (0..<3).map { _ in
      folder.shared.appendingPathComponent(SnapshotName.partialName(of: SnapshotName.name(of: .sample(5))))
    }
    for (file, minutes) in zip(files, [61.0, 59, 0]) {
      try Data([0]).write(to: file)
      try folder.age(file, minutes: minutes)
    }
    try await folder.store.save(folder.file([1]), at: .sample(2))
    #expect(Set(try folder.names.filter { $0.hasSuffix(".partial") }) == Set(files[1...].map(\.lastPathComponent)))
  }

  @Test func `fetching removes incomplete files of the same name`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    for name in ["fetched.db", "other.db"] {
      try folder.age(folder.file([0], named: SnapshotName.partialName(of: name)), minutes: 61)
    }
    try await folder.store.fetch(.sample(1), to: folder.target())
    #expect(try folder.partialNames.map { SnapshotName.completeName(ofPartial: $0) } == ["other.db"])
  }

  // MARK: - Several nodes

  @Test func `nodes save and fetch the same and other positions at the same time`() async throws {
    let file = try folder.file(sampleBytes(100_000))
    try await withThrowingTaskGroup { group in
      for node in 0..<4 {
        group.addTask { [folder] in
          for number in 1...3 as ClosedRange<UInt64> {
            try await folder.store.save(file, at: .sample(number))
            let target = folder.target("\(node)-\(number).db")
            try await folder.store.fetch(.sample(number), to: target)
            #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: target.path))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.names == (1...3).map { SnapshotName.name(of: .sample($0)) })
  }
}
