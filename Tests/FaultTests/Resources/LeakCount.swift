import CFaultVFS
import CSQLite
import Foundation
import StressSupport
import TestSupport
import Testing

/// What a process holds, before and after something that is done thousands of times.
struct LeakCount {
  var descriptors: Int
  var threads: Int
  /// The memory of SQLite, in bytes.
  var sqliteMemory: Int
  /// What the program has of the heap, in bytes. The pages of the process are no measure: they grow with the holes
  /// between what is used.
  var heap: Int

  static var current: LeakCount {
    LeakCount(
      descriptors: entryCount("/proc/self/fd"), threads: entryCount("/proc/self/task"),
      sqliteMemory: Int(sqlite3_memory_used()), heap: Int(fault_heap_size()))
  }

  private static func entryCount(_ folder: String) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count
  }

  /// What there is more of than before, nil when there is nothing.
  func growth(since before: LeakCount) -> String? {
    // The system's own queues take one or two more, some time.
    if descriptors > before.descriptors + 2 { return "\(descriptors - before.descriptors) descriptors" }
    if threads > before.threads + 2 { return "\(threads - before.threads) threads" }
    if sqliteMemory > before.sqliteMemory + 128 << 10 {
      return "\(sqliteMemory - before.sqliteMemory) bytes of SQLite's memory"
    }
    if heap > before.heap + 1 << 20 { return "\(heap - before.heap) bytes of the heap" }
    return nil
  }

  /// Does something many times, once everything is warm, and tells what there is more of then, if there is anything.
  ///
  /// - parameter isPlanted: Whether there is a leak, which never goes away: the wait for the end of threads is short.
  static func tell(cycles: Int, isPlanted: Bool = false, _ body: () async throws -> Void) async throws {
    fault_forget_errors()
    for _ in 0..<max(50, cycles / 5) { try await body() }
    let before = current
    for _ in 0..<cycles { try await body() }
    // Threads end on their own, some time after their last work.
    if isPlanted {
      try await Task.sleep(for: .milliseconds(50))
    } else {
      // A hang is a leak, and is told as one.
      try? await Wait.until("no growth") { current.growth(since: before) == nil }
    }
    if let growth = current.growth(since: before) {
      FileHandle.standardError.write(Data("\(prefix)\(growth) more after \(cycles) times\n".utf8))
    }
  }

  private static let prefix = "leak: "

  /// What a process has told of leaks.
  static func leaks(toldBy result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(whereSeparator: \.isNewline).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }
}
