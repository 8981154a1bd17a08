import Foundation

/// What a process holds of the system. To be asked in a process of the test's own (an exit test): other
/// tests open files and start threads meanwhile.
struct ProcessCounters: Equatable {
  var threads = 0
  var descriptors = 0

  static var current: ProcessCounters {
    ProcessCounters(threads: count("/proc/self/task"), descriptors: count("/proc/self/fd"))
  }

  /// Whether the system tells.
  static var areAvailable: Bool { FileManager.default.fileExists(atPath: "/proc/self/task") }

  private static func count(_ folder: String) -> Int {
    // The listing itself takes a descriptor, each time.
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
  }
}
