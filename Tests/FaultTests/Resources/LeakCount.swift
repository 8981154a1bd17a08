import CFaultVFS
import CSQLite
import Foundation
import StressSupport
import TestSupport
import Testing

/// The resources of a process, before and after an operation that is repeated thousands of times.
struct LeakCount {
  var descriptors: Int
  var threads: Int
  /// The memory of SQLite, in bytes.
  var sqliteMemory: Int
  /// The allocated heap memory of the program, in bytes. The resident size is not a measure: it grows with
  /// fragmentation.
  var heap: Int

  static var current: LeakCount {
    LeakCount(
      descriptors: entryCount("/proc/self/fd"), threads: entryCount("/proc/self/task"),
      sqliteMemory: Int(sqlite3_memory_used()), heap: Int(fault_heap_size()))
  }

  private static func entryCount(_ folder: String) -> Int {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count
  }

  /// The resources that have increased; nil if there are none.
  func growth(since before: LeakCount) -> String? {
    // The system's own queues may allocate one or two more.
    if descriptors > before.descriptors + 2 { return "\(descriptors - before.descriptors) descriptors" }
    if threads > before.threads + 2 { return "\(threads - before.threads) threads" }
    if sqliteMemory > before.sqliteMemory + 128 << 10 {
      return "\(sqliteMemory - before.sqliteMemory) bytes of SQLite's memory"
    }
    if heap > before.heap + 1 << 20 { return "\(heap - before.heap) bytes of the heap" }
    return nil
  }

  /// Repeats an operation after a warm-up, and reports the resources that have increased, if any.
  ///
  /// A pool may open a connection at any time, and keeps it: on a busy machine, this happens after the warm-up. So only
  /// an increase that repeats itself is a leak.
  ///
  /// - Parameter isPlanted: Whether a leak is planted, which never goes away: the wait for the end of threads is short.
  static func report(cycles: Int, isPlanted: Bool = false, _ body: () async throws -> Void) async throws {
    fault_forget_errors()
    for _ in 0..<max(50, cycles / 5) { try await body() }
    for round in 1...3 {
      let before = current
      for _ in 0..<cycles { try await body() }
      // Threads end by themselves, some time after their last work.
      if round < 3 || isPlanted {
        try await Task.sleep(for: .milliseconds(50))
      } else {
        // A hang is reported as a leak.
        try? await Wait.until("no growth") { current.growth(since: before) == nil }
      }
      guard let growth = current.growth(since: before) else { return }
      if round == 3 {
        FileHandle.standardError.write(Data("\(prefix)\(growth) more after \(cycles) times\n".utf8))
      }
    }
  }

  private static let prefix = "leak: "

  /// The leaks that a process has reported.
  static func leaks(printedBy result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(whereSeparator: \.isNewline).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }
}
