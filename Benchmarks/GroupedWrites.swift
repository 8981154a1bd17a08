import CBaseline
import Foundation
import Tidemark

// Tasks that write one row each, at the same time, with and without `Configuration.groupsWrites`. One thread in C
// writes the same rows, each in a transaction, or in 64 savepoints a transaction.
//
//     Benchmarks writers [COUNT] [disk] [oneByOne|savepoints|tasks|groupingTasks|oneTask|oneGroupingTask]
//
// The figures are elapsed time, not processor time. Without `disk`, the file is in memory.

private let taskCount = 64

func measureConcurrentWrites(_ folder: BenchmarkFolder, rounds: Int, names: [String], _ report: Report) throws {
  let count = names.compactMap { Int($0) }.first ?? 64_000
  let chosen = names.compactMap(Writer.init)
  let directory: URL
  if names.contains("disk") {
    directory = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
      .appending(path: ".build/writers-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  } else {
    directory = folder.url
  }
  defer { if names.contains("disk") { try? FileManager.default.removeItem(at: directory) } }
  for (mode, durability) in [("NORMAL", Configuration.Durability.default), ("EXTRA", .full)] {
    var times: [Writer: Double] = [:]
    // A disk makes a commit in this mode slow.
    let count = mode == "EXTRA" && names.contains("disk") ? count / 4 : count
    for round in 0..<rounds {
      for writer in Writer.allCases where chosen.isEmpty || chosen.contains(writer) {
        let path = directory.appending(path: "\(mode)-\(writer)-\(round).sqlite").path()
        let nanoseconds = try writer.write(count, path, mode, durability)
        times[writer] = min(times[writer] ?? .infinity, nanoseconds / Double(count))
      }
    }
    let bare = times[.oneByOne] ?? .nan
    let group = "\(taskCount) tasks, one row each, \(mode)" + (names.contains("disk") ? ", disk" : "")
    for (writer, name) in [
      (Writer.savepoints, "64 savepoints a transaction, C"), (.tasks, "await pool.write"),
      (.groupingTasks, "await pool.write, groupsWrites"), (.oneTask, "one task, await pool.write"),
      (.oneGroupingTask, "one task, await pool.write, groupsWrites"),
    ] where times[writer] != nil {
      report.add(
        Figure(
          group: group, name: name, value: (times[writer] ?? .nan) / bare, unit: .ratio,
          target: writer == .groupingTasks ? (mode == "EXTRA" ? 0.1 : 0.25) : nil, bare: bare, library: times[writer]))
    }
  }
}

/// The writer of the rows.
private enum Writer: String, CaseIterable {
  case oneByOne
  case savepoints
  case tasks
  case groupingTasks
  case oneTask
  case oneGroupingTask

  /// Returns the elapsed time, in nanoseconds.
  func write(_ count: Int, _ path: String, _ mode: String, _ durability: Configuration.Durability) throws -> Double {
    switch self {
    case .oneByOne, .savepoints:
      let bare = try BareConnection(path)
      try bare.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = \(mode)")
      try bare.execute("CREATE TABLE item(n INTEGER, name TEXT)")
      return try elapsed {
        try bare.run(count) { baseline_insert_in_transactions($0, Int64(count), self == .savepoints ? 64 : 1) }
      }
    case .tasks, .groupingTasks, .oneTask, .oneGroupingTask:
      var configuration = Configuration()
      configuration.durability = durability
      configuration.groupsWrites = self == .groupingTasks || self == .oneGroupingTask
      let pool = try DatabasePool(path: path, configuration: configuration)
      try pool.write { try $0.execute(sql: "CREATE TABLE item(n INTEGER, name TEXT)") }
      let isSingle = self == .oneTask || self == .oneGroupingTask
      let time = elapsed { Self.write(pool, count, tasks: isSingle ? 1 : taskCount) }
      let found = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item") }
      precondition(found == count / (isSingle ? 1 : taskCount) * (isSingle ? 1 : taskCount), "Rows are missing")
      try pool.close()
      return time
    }
  }

  private func elapsed(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start)
  }

  private static func write(_ pool: DatabasePool, _ count: Int, tasks: Int) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            for number in 0..<count / tasks {
              do {
                try await pool.write { db in
                  try db.execute(sql: "INSERT INTO item VALUES (?, 'the name of item')", arguments: [number])
                }
              } catch {
                fatalError("\(error)")
              }
            }
          }
        }
      }
      isDone.signal()
    }
    isDone.wait()
  }
}
