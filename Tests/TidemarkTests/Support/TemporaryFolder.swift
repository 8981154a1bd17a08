import Foundation

/// A folder of a test's own, removed with everything in it when it is released.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    // In memory where that is possible: what is tested is not the disk.
    let shared = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
    // The name of the process: what it leaves when it traps is removed by others (`TestFolder`).
    path = "\(parent)/tidemark-of-\(getpid())-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be removed is left to the system, which empties the folder of temporary files.
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
