import Foundation
import StressSupport
import TestSupport
import Testing
import Tidemark

/// Thousands of tasks that are cancelled at moments of chance, among others that are not.
///
/// The storm has a process of its own, so that its threads and descriptors can be counted.
@Suite(.serialized) struct CancellationStormTests {
  @Test(arguments: Scale.seeds(daily: 2, full: 4))
  func cancellationLosesAndLeaksNothing(seed: UInt64) async throws {
    let folder = try TestFolder(onDisk: true)
    let report = folder.path + "/report"
    await #expect(processExitsWith: .success) { [seed, report = report as String] in
      try await CancellationStorm.perform(seed: seed, report: report)
    }
    // The output of the process would be lost. Its last line is for the table.
    print(try String(contentsOfFile: report, encoding: .utf8))
  }

  @Test(arguments: CancellationStorm.Fault.allCases)
  func plantedCancellationFaultsAreFound(fault: CancellationStorm.Fault) async throws {
    let folder = try TestFolder(onDisk: true)
    let report = folder.path + "/report"
    let seed = Scale.seed
    await #expect(processExitsWith: .success) { [seed = seed as UInt64, report = report as String, fault] in
      try await CancellationStorm.findPlanted(fault, seed: seed, report: report)
    }
    // The output of the process would be lost. Its last line is for the table.
    print(try String(contentsOfFile: report, encoding: .utf8))
  }
}

enum CancellationStorm {
  struct Failed: Error {}

  /// What may be wrong with a pool, for the controls.
  enum Fault: CaseIterable, Codable, CustomTestStringConvertible {
    case halfWrite, lostWrite, openFile

    var testDescription: String { "\(self)" }
  }

  static func perform(seed: UInt64, report: String) async throws {
    let run = Run("cancellation", seed: seed, limit: 240)
    try await perform(run, rounds: Scale.of(daily: 60, full: 400))
    try printReport(run, report)
  }

  static func findPlanted(_ fault: Fault, seed: UInt64, report: String) async throws {
    let run = Run("cancellation-control", seed: seed, limit: 240)
    try await perform(run, rounds: 5, fault)
    if run.allProblems.isEmpty {
      run.problem("\(fault) was planted, and not found")
    } else {
      run.count("planted")
      run.forgetProblems()
    }
    try printReport(run, report)
  }

  private static func printReport(_ run: Run, _ report: String) throws {
    let words = run.finish()
    try words.write(toFile: report, atomically: true, encoding: .utf8)
    if !run.allProblems.isEmpty { throw Failed() }
  }

  private static func perform(_ run: Run, rounds: Int, _ fault: Fault? = nil) async throws {
    let folder = try TestFolder(onDisk: true)
    // Run a first, small storm, so that everything that a process starts only once is not counted.
    try await storm(run, try TestFolder(onDisk: true), rounds: 3)
    try await Task.sleep(for: .milliseconds(1))
    let before = ProcessLoad.now
    try await storm(run, folder, rounds: rounds, fault)
    let forgotten = fault == .openFile ? FileHandle(forReadingAtPath: folder.database) : nil
    defer { withExtendedLifetime(forgotten) {} }
    let after = try await ProcessLoad.settled(atMost: before, isPlanted: fault != nil)
    if after.threads > before.threads || after.files.count > before.files.count {
      run.problem("before: \(before), after: \(after)")
    }
  }

  private static func storm(
    _ run: Run, _ folder: TestFolder, rounds: Int, _ fault: Fault? = nil
  ) async throws {
    let moment = CancellationMoments()
    var pool: DatabasePool? = try folder.pool(readers: 3) { moment.add(to: &$0) }
    let storm = try StormAccesses(pool!, run, moment)
    let workers = Workers(run: run)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await workers.threads(2, "thread") { try storm.writeAndRead(as: $0, rounds * 5) } }
      group.addTask { await workers.tasks(12, "task") { try await storm.cancelTasks(as: 10 + $0, rounds) } }
    }
    try storm.plant(fault)
    try await storm.checkThatAllIsClean()
    try pool!.close()
    if !folder.openFiles.isEmpty { run.problem("open after close: \(folder.openFiles)") }
    if folder.integrity() != "ok" { run.problem(folder.integrity()) }
    pool = nil
  }
}

/// The system resources of a process.
struct ProcessLoad {
  var threads: Int

  /// The files that are open. What Swift itself uses (pipes, timers) comes and goes.
  var files: [String]

  static var now: ProcessLoad {
    let files = list("/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    return ProcessLoad(threads: list("/proc/self/task").count, files: files.filter { $0.hasPrefix("/") }.sorted())
  }

  /// The load once it is no more than requested, or after a while.
  ///
  /// - Parameter isPlanted: Whether there is more, which never goes away: the wait is short.
  static func settled(atMost bound: ProcessLoad, isPlanted: Bool) async throws -> ProcessLoad {
    // Threads end by themselves, when their executor was released.
    if isPlanted {
      try await Task.sleep(for: .milliseconds(100))
    } else {
      // The caller reports a hang, as what is left.
      try? await Wait.until("the end of threads") {
        let load = now
        return load.threads <= bound.threads && load.files.count <= bound.files.count
      }
    }
    return now
  }

  private static func list(_ folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }
}
