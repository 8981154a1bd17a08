import Foundation

/// A temporary folder for a test, in memory if the machine has such a place. It is removed with its contents when it is
/// released.
///
/// A process that traps, as some tests require, releases nothing. Another process removes its folders, when it
/// creates its first folder and when it ends.
package final class TestFolder: Sendable {
  package let path: String

  /// - Parameter isOnDisk: Whether the folder is on a disk, and not in memory.
  package init(onDisk isOnDisk: Bool = false) throws {
    _ = Self.sweeping
    let parent = URL(filePath: isOnDisk ? Self.disk : Self.memory).resolvingSymlinksInPath()
    // The canonical path, for `openFiles`.
    path = parent.appending(path: "\(Self.prefix)\(getpid())-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // The system cleans up its temporary folder.
    try? FileManager.default.removeItem(atPath: path)
  }

  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The path for the database of a test.
  package var database: String { path("db.sqlite") }

  /// The files in the folder that the process has open.
  package var openFiles: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.compactMap { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return target.flatMap { $0.hasPrefix(path) ? $0 : nil }
    }
  }

  // MARK: Cleaning up after other processes

  private static let prefix = "tidemark-of-"
  private static let disk = FileManager.default.temporaryDirectory.path()
  private static let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : disk

  /// Removes abandoned folders now, and at the end of the process.
  private static let sweeping: Void = {
    sweep()
    atexit { TestFolder.sweep() }
  }()

  /// Removes the folders of processes that have ended.
  private static func sweep() {
    for parent in Set([disk, memory]) {
      // A folder that cannot be listed contains none to remove.
      for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
        guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), hasEnded(process) else {
          continue
        }
        // Another process may remove it at the same time.
        try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
      }
    }
  }

  private static func hasEnded(_ process: pid_t) -> Bool { kill(process, 0) == -1 && errno == ESRCH }
}
