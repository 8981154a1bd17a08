import Foundation
import Testing

@testable import TidemarkEssentials

/// The lock of a file, without databases.
@Suite struct LockFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("lock") }

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> LockFile { try LockFile(path: path, permissionsOf: folder.path("model")) }

  @Test func `a locked file cannot be locked by another descriptor of the process`() throws {
    let (first, second) = (try open(), try open())
    #expect(try first.tryLock())
    #expect(try second.tryLock() == false)
    first.unlock()
    #expect(try second.tryLock())
  }

  @Test func `closing a descriptor leaves the locks of others`() throws {
    let first = try open()
    #expect(try first.tryLock())
    do { _ = try open() }
    #expect(try open().tryLock() == false)
  }

  @Test func `closing the descriptor releases the lock`() throws {
    do {
      let first = try open()
      #expect(try first.tryLock())
    }
    #expect(try open().tryLock())
  }

  @Test(arguments: [0o600, 0o640, 0o664])
  func `a new file has the permissions of its model`(permissions: Int) throws {
    let model = try folder.write([], to: "model")
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: model)
    _ = try open()
    #expect(try folder.permissions(of: "lock") == permissions)
  }

  @Test func `a file that was removed or replaced is not at its path`() throws {
    let file = try open()
    #expect(file.isAtPath)
    try FileManager.default.removeItem(atPath: path)
    #expect(!file.isAtPath)
    let other = try open()
    #expect(!file.isAtPath && other.isAtPath)
  }

  @Test func `a file with content is not opened`() throws {
    try folder.write([1], to: "lock")
    let failure = #expect(throws: LockFile.Failure.self) { try open() }
    #expect(failure?.reason == "it is no empty file")
  }

  @Test func `a symbolic link is not followed`() throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.write([], to: "other"))
    #expect(throws: LockFile.Failure.self) { try open() }
  }

  @Test func `a folder is not opened`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: LockFile.Failure.self) { try open() }
  }

  @Test func `a file in a missing folder is an error with its reason`() {
    let failure = #expect(throws: LockFile.Failure.self) {
      try LockFile(path: folder.path("missing/lock"), permissionsOf: folder.path("model"))
    }
    #expect(failure?.reason == "No such file or directory")
  }

  @Test func `a watch reports that the file was closed`() async throws {
    let file = try open()
    let signal = AsyncSignal()
    let watch = try #require(LockFileWatch(path: path) { signal.raise() })
    #expect(!watch.takeEvent())
    let count = signal.count
    do { _ = try open() }
    await signal.wait(after: count)
    #expect(watch.takeEvent())
    #expect(file.isAtPath)
  }
}
