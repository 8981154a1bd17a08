import Foundation

/// A temporary folder for a test, which is removed with its contents when it is released.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    // In memory if possible: the disk is not under test.
    let shared = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
    // The process ID is part of the name: other processes remove the folders of a process that trapped (`TestFolder`).
    path = "\(parent)/tidemark-of-\(getpid())-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // The system cleans up its temporary folder.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { path + "/" + name }

  /// The permissions of a file in the folder.
  func permissions(of name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  /// Writes a file into the folder.
  @discardableResult
  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}
