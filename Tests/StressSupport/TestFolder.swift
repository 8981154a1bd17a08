import Foundation

/// A folder of a test's own, in memory where the machine has such a place. It is removed with everything in it when it is
/// released.
///
/// A process that traps, as some tests have one do, releases nothing. What such a process has left is removed by another
/// one, when it begins to make folders and when it ends.
package final class TestFolder: Sendable {
  package let path: String

  /// - parameter isOnDisk: Whether it is on a disk, and not in memory.
  package init(onDisk isOnDisk: Bool = false) throws {
    _ = Self.sweeping
    let parent = URL(filePath: isOnDisk ? Self.disk : Self.memory).resolvingSymlinksInPath()
    // As the system writes it, for `openFiles`.
    path = parent.appending(path: "\(Self.prefix)\(getpid())-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // What cannot be removed is left to the system.
    try? FileManager.default.removeItem(atPath: path)
  }

  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Where the database is, for a test that has one.
  package var database: String { path("db.sqlite") }

  /// The files in it that descriptors of the process are open on.
  package var openFiles: [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.compactMap { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return target.flatMap { $0.hasPrefix(path) ? $0 : nil }
    }
  }

  // MARK: What others have left

  private static let prefix = "tidemark-of-"
  private static let disk = FileManager.default.temporaryDirectory.path()
  private static let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : disk

  /// Removes what is left now, and at the end of the process.
  private static let sweeping: Void = {
    sweep()
    atexit { TestFolder.sweep() }
  }()

  /// Removes the folders of processes that have ended.
  private static func sweep() {
    for parent in Set([disk, memory]) {
      // Where nothing can be listed, nothing was left.
      for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
        guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }), hasEnded(process) else {
          continue
        }
        // Another process may be faster.
        try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
      }
    }
  }

  private static func hasEnded(_ process: pid_t) -> Bool { kill(process, 0) == -1 && errno == ESRCH }
}
