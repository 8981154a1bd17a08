import CSQLite
import Foundation
import StressSupport

/// What a process holds, before and after something that is done thousands of times.
struct LeakCount {
  var descriptors: Int
  var threads: Int
  /// The memory of SQLite, in bytes.
  var sqliteMemory: Int
  /// The memory of the process, in bytes.
  var memory: Int

  static var current: LeakCount {
    LeakCount(
      descriptors: entryCount("/proc/self/fd"), threads: entryCount("/proc/self/task"),
      sqliteMemory: Int(sqlite3_memory_used()), memory: residentMemory)
  }

  private static func entryCount(_ folder: String) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count
  }

  private static var residentMemory: Int {
    let words = ((try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? "").split(separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  // A sanitizer keeps what is freed for a while, to find out who uses it.
  private static let memoryIsTelling = !["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
    ProcessInfo.processInfo.environment[$0] != nil
  }

  /// What there is more of than before, nil when there is nothing.
  func growth(since before: LeakCount) -> String? {
    // The system's own queues take one or two more, some time.
    if descriptors > before.descriptors + 2 { return "\(descriptors - before.descriptors) descriptors" }
    if threads > before.threads + 2 { return "\(threads - before.threads) threads" }
    if sqliteMemory > before.sqliteMemory + 128 << 10 {
      return "\(sqliteMemory - before.sqliteMemory) bytes of SQLite's memory"
    }
    if Self.memoryIsTelling, memory > before.memory + 1 << 20 { return "\(memory - before.memory) bytes" }
    return nil
  }

  /// Does something many times, once everything is warm, and ends the process: with 0 when nothing was left, with 3
  /// and a word about it otherwise.
  static func exit(cycles: Int, _ body: () async throws -> Void) async throws -> Never {
    for _ in 0..<max(50, cycles / 5) { try await body() }
    let before = current
    for _ in 0..<cycles { try await body() }
    // Threads end on their own, some time after their last work.
    var growth = current.growth(since: before)
    for _ in 0..<20 where growth != nil {
      try await Task.sleep(for: .milliseconds(50))
      growth = current.growth(since: before)
    }
    if let growth {
      FileHandle.standardError.write(Data("after \(cycles) times: \(growth) more\n".utf8))
      Foundation.exit(3)
    }
    Foundation.exit(0)
  }
}
