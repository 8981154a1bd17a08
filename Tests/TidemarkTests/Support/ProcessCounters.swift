import Foundation

/// The system resources of this process. Threads and files that appear or disappear during the listing may be missed:
/// repeat the query.
enum ProcessCounters {
  /// Whether the system offers this information.
  static var areAvailable: Bool { FileManager.default.fileExists(atPath: "/proc/self/task") }

  /// The number of threads. Use it in a process of the test's own: other tests start threads meanwhile.
  static var threadCount: Int { entries("/proc/self/task").count }

  /// The current resources. Use it in a process of the test's own.
  static var current: (threads: Int, descriptors: Int) { (threadCount, entries("/proc/self/fd").count) }

  /// The number of threads with a name, of which the system keeps fifteen characters.
  static func threadCount(named name: String) -> Int {
    entries("/proc/self/task").count { entry in
      // The thread may have ended meanwhile.
      let found = try? String(contentsOfFile: "/proc/self/task/\(entry)/comm", encoding: .utf8)
      return found?.dropLast() == name.prefix(15)
    }
  }

  /// The name of the calling thread, of which the system keeps fifteen characters.
  static var nameOfThisThread: String? {
    // An empty name where the system has no such information.
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)).map { String($0.dropLast()) }
  }

  /// The number of open files in a folder.
  static func descriptorCount(in folder: String) -> Int {
    entries("/proc/self/fd").count { entry in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(entry)")
      return target?.hasPrefix(folder) == true
    }
  }

  /// Whether the process watches a folder, or a file in it, with inotify. Other tests may watch other folders.
  static func isWatched(_ folder: String) -> Bool {
    let paths = [folder] + entries(folder).map { "\(folder)/\($0)" }
    let inodes = paths.compactMap { path in
      // A file may have been removed since it was listed.
      (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? Int
    }
    let watched = Set(inodes.map { "ino:" + String($0, radix: 16) })
    return entries("/proc/self/fdinfo").contains { entry in
      // The descriptor may have been closed since it was listed.
      let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(entry)", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").contains { line in
        line.hasPrefix("inotify ") && line.split(separator: " ").contains { watched.contains(String($0)) }
      }
    }
  }

  private static func entries(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
