import Foundation

/// A folder with databases, in memory where the machine has such a place, removed when it is released.
final class FaultFolder: Sendable {
  let path: String

  private static let parent: String =
    FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

  init() throws {
    path = "\(Self.parent)/tidemark-faults-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be removed is left to the system.
    try? FileManager.default.removeItem(atPath: path)
  }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Copies the files of a database as they are, as a crash of the process would leave them: without the index of the
  /// log, which does not outlive it.
  func copyDatabase(_ path: String, to name: String) throws {
    for suffix in ["", "-wal", "-journal"] {
      let copy = self.path(name + suffix)
      if FileManager.default.fileExists(atPath: copy) { try FileManager.default.removeItem(atPath: copy) }
      if FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy)
      }
    }
    let index = self.path(name + "-shm")
    if FileManager.default.fileExists(atPath: index) { try FileManager.default.removeItem(atPath: index) }
  }

  /// The files that descriptors of the process are open on.
  var openFiles: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.compactMap { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      guard let target, target.hasPrefix(path) else { return nil }
      return target
    }
  }
}
