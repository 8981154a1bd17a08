import Dispatch
import Foundation
import Testing

@testable import TidemarkCluster

@Suite struct SnapshotFailureTests {
  private let folder: SnapshotFolder

  init() throws { folder = try SnapshotFolder() }

  /// The text of the error of an operation.
  private func failure(_ operation: () async throws -> Void) async throws -> String {
    let error = await #expect(throws: SnapshotError.self) { try await operation() }
    guard case .failed(let text) = error else {
      Issue.record("expected a failure, found \(String(describing: error))")
      return ""
    }
    return text
  }

  // MARK: - Damaged snapshots

  @Test func `a changed byte is detected`() async throws {
    try await folder.store.save(folder.file(sampleBytes(100)), at: .sample(1))
    let path = folder.path(of: .sample(1))
    let bytes = try Data(contentsOf: path)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 4
      try await expectDamaged(changed, "byte \(index)")
    }
  }

  @Test func `a truncated or longer snapshot is detected`() async throws {
    try await folder.store.save(folder.file(sampleBytes(100)), at: .sample(1))
    let bytes = try Data(contentsOf: folder.path(of: .sample(1)))
    for count in 0..<bytes.count { try await expectDamaged(bytes.prefix(count), "\(count) bytes") }
    try await expectDamaged(bytes + [0], "one byte more")
  }

  @Test func `the snapshot of another position is detected`() async throws {
    try await folder.store.save(folder.file(sampleBytes(100)), at: .sample(2))
    try await expectDamaged(Data(contentsOf: folder.path(of: .sample(2))), "another position")
  }

  @Test func `a damaged snapshot can be saved again`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    try await expectDamaged(Data(), "empty")
    try await folder.store.save(folder.file([1]), at: .sample(1))
    try await folder.store.fetch(.sample(1), to: folder.target())
  }

  private func expectDamaged(_ bytes: Data, _ comment: Comment) async throws {
    try bytes.write(to: folder.path(of: .sample(1)))
    let error = await #expect(throws: SnapshotError.self, comment) {
      try await folder.store.fetch(.sample(1), to: folder.target())
    }
    if case .damaged(let text) = error {
      #expect(text.contains(folder.path(of: .sample(1)).path))
    } else {
      Issue.record("\(comment): expected a damage, found \(String(describing: error))")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.target().path), comment)
    #expect(try folder.partialNames == [], comment)
  }

  // MARK: - Files that are missing, or in the way

  @Test func `a snapshot that does not exist is not found`() async throws {
    for _ in 0..<2 {
      await #expect(throws: SnapshotError.notFound(.sample(1))) {
        try await folder.store.fetch(.sample(1), to: folder.target())
      }
      try await folder.store.save(folder.file([1]), at: .sample(2))
    }
  }

  @Test func `a file that exists is not replaced by a fetch`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    let target = try folder.file([9], named: "fetched.db")
    let text = try await failure { try await folder.store.fetch(.sample(1), to: target) }
    #expect(text == "cannot create \(target.path): File exists. Remove the file, or use another path")
    #expect(try Data(contentsOf: target) == Data([9]))
  }

  @Test func `a database that does not exist is not saved`() async throws {
    let text = try await failure { try await folder.store.save(folder.target("none.db"), at: .sample(1)) }
    #expect(text.hasPrefix("cannot open \(folder.target("none.db").path): No such file or directory. Check"))
    #expect(!FileManager.default.fileExists(atPath: folder.shared.path))
  }

  @Test func `a fetch into a folder that does not exist fails`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    let text = try await failure { try await folder.store.fetch(.sample(1), to: folder.target("none/a.db")) }
    #expect(text.hasPrefix("cannot create \(folder.target("none/a.db").path)-"))
    #expect(text.hasSuffix(".partial: No such file or directory. Check the path, and that the file system is mounted"))
  }

  @Test func `a file in the place of the folder is an error of all operations`() async throws {
    let store = DirectorySnapshotStore(try folder.file([1], named: "shared"))
    let database = try folder.file([1])
    let texts = [
      try await failure { try await store.save(database, at: .sample(1)) },
      try await failure { _ = try await store.latest() },
      try await failure { try await store.fetch(.sample(1), to: folder.target()) },
      try await failure { try await store.removeSnapshots(before: .sample(1)) },
    ]
    for text in texts { #expect(text.contains("Not a directory. Check the path")) }
    let below = DirectorySnapshotStore(folder.shared.appendingPathComponent("below"))
    let text = try await failure { try await below.save(database, at: .sample(1)) }
    #expect(text.hasPrefix("cannot create \(folder.shared.path)/below: Not a directory. Check the path"))
  }

  @Test(.enabled(if: getuid() != 0, "root may write into any folder"))
  func `a folder without permission is an error that says so`() async throws {
    try await folder.store.save(folder.file([1]), at: .sample(1))
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.shared.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.shared.path) }
    let texts = [
      try await failure { try await folder.store.save(folder.file([1]), at: .sample(2)) },
      try await failure { try await folder.store.removeSnapshots(before: .sample(2)) },
    ]
    for text in texts { #expect(text.hasSuffix("Permission denied. Give the user of this process permission for it")) }
    #expect(try await folder.store.latest() == .sample(1))
  }

  // MARK: - Interrupted copies

  @Test func `a full disk leaves no incomplete file`() async throws {
    try await folder.store.save(folder.file(sampleBytes(1 << 20)), at: .sample(1))
    var store = folder.store
    store.didCopyChunk = { throw SnapshotFile.failure("write", "a", ENOSPC) }
    let texts = [
      try await failure { [store] in try await store.save(folder.file(sampleBytes(1 << 20)), at: .sample(2)) },
      try await failure { [store] in try await store.fetch(.sample(1), to: folder.target()) },
    ]
    for text in texts {
      #expect(
        text == "cannot write a: No space left on device. "
          + "Free space on the disk, for example by removing old snapshots")
    }
    #expect(try folder.partialNames == [])
    #expect(try folder.names.count == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.target().path))
  }

  @Test func `a cancelled save ends after the current chunk`() async throws {
    let file = try folder.file(sampleBytes(1 << 20 + 1))
    let (chunks, chunk) = AsyncStream<Void>.makeStream()
    let wasCancelled = DispatchSemaphore(value: 0)
    var store = folder.store
    store.didCopyChunk = {
      chunk.yield()
      wasCancelled.wait()
    }
    let task = Task { [store] in try await store.save(file, at: .sample(1)) }
    var iterator = chunks.makeAsyncIterator()
    await iterator.next()
    task.cancel()
    // For each chunk, also for one too many.
    for _ in 0..<2 { wasCancelled.signal() }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try folder.names == [])
  }

  @Test func `a cancelled task does not begin`() async throws {
    let file = try folder.file([1])
    let task = Task { [folder] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await folder.store.save(file, at: .sample(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!FileManager.default.fileExists(atPath: folder.shared.path))
  }

  // MARK: - Texts

  @Test func `errors say what happened and what to do`() {
    let position = LogPosition(number: 7, digest: .zero)
    #expect(
      SnapshotError.notFound(position).description
        == "the snapshot of position 7·00000000 was not found: it was removed, or never saved. Fetch the latest one")
    #expect(SnapshotError.damaged("a is too short").description == "the snapshot is damaged: a is too short")
    #expect(
      SnapshotFile.failure("create", "/a", EROFS).description
        == "cannot create /a: Read-only file system. Mount the file system for writing, or use another folder")
    for code in [EDQUOT, EFBIG, EPERM, ENOENT, ESTALE, EIO, ENAMETOOLONG] {
      #expect(SnapshotFile.failure("create", "/a", code).description.split(separator: ". ").count == 2)
    }
  }
}
