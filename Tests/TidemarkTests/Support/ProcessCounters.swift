import Foundation

/// What this process holds of the system. Threads and files that come and go while they are listed may be missed: ask
/// again.
enum ProcessCounters {
  /// Whether the system tells.
  static var areAvailable: Bool { FileManager.default.fileExists(atPath: "/proc/self/task") }

  /// The number of threads. To be asked in a process of the test's own: other tests start threads meanwhile.
  static var threadCount: Int { entries("/proc/self/task").count }

  /// What the process holds now. To be asked in a process of the test's own.
  static var current: (threads: Int, descriptors: Int) { (threadCount, entries("/proc/self/fd").count) }

  /// The number of threads of that name, of which the system keeps fifteen characters.
  static func threadCount(named name: String) -> Int {
    entries("/proc/self/task").count { entry in
      // A thread may be gone by now.
      let found = try? String(contentsOfFile: "/proc/self/task/\(entry)/comm", encoding: .utf8)
      return found?.dropLast() == name.prefix(15)
    }
  }

  /// The name of the calling thread, of which the system keeps fifteen characters.
  static var nameOfThisThread: String? {
    // Where the system does not tell, it has none.
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)).map { String($0.dropLast()) }
  }

  /// The number of descriptors of files in a folder.
  static func descriptorCount(in folder: String) -> Int {
    entries("/proc/self/fd").count { entry in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(entry)")
      return target?.hasPrefix(folder) == true
    }
  }

  private static func entries(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
