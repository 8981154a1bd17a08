import Foundation
import Tidemark

// The start-up cost of small programs that open a database and run a query, one with the library and one without.

private let group = "start"

func measureStartUp(_ folder: BenchmarkFolder, rounds: Int, _ report: Report) throws {
  let path = folder.path("start.sqlite")
  let pool = try DatabasePool(path: path)
  try pool.write { db in
    try db.execute(
      sql: """
        CREATE TABLE item (id INTEGER PRIMARY KEY);
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1000)
        INSERT INTO item SELECT n FROM number;
        """)
  }
  try pool.close()
  let programs = try (bare: Program("StartBare"), library: Program("StartLibrary"))
  var (bare, library) = (Start(), Start())
  for _ in 0..<max(rounds, 20) {
    bare.improve(by: try programs.bare.run(path))
    library.improve(by: try programs.library.run(path))
  }
  func add(_ name: String, _ unit: Figure.Unit, _ target: Double, _ value: KeyPath<Start, Double>) {
    report.add(Figure(group: group, name: name + ", without the library", value: bare[keyPath: value], unit: unit))
    report.add(Figure(group: group, name: name, value: library[keyPath: value], unit: unit, target: target))
  }
  add("open, and the first query", .milliseconds, 1, \.milliseconds)
  add("resident memory", .megabytes, 13, \.megabytes)
  add("the whole process", .milliseconds, 7, \.wholeMilliseconds)
  report.add(
    Figure(
      group: group, name: "program, stripped", value: try programs.library.strippedSize(in: folder) / 1e6,
      unit: .megabytes, target: 1.5))
}

/// The time and memory of a start.
private struct Start {
  var milliseconds = Double.infinity
  var megabytes = Double.infinity
  var wholeMilliseconds = Double.infinity

  mutating func improve(by other: Start) {
    milliseconds = min(milliseconds, other.milliseconds)
    megabytes = min(megabytes, other.megabytes)
    wholeMilliseconds = min(wholeMilliseconds, other.wholeMilliseconds)
  }
}

/// A program that was built beside this one.
private struct Program {
  let path: String

  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  init(_ name: String) throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    path = URL(filePath: own).deletingLastPathComponent().appending(path: name).path()
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Missing(description: "\(path) is not there: `swift build -c release --product \(name)` makes it")
    }
  }

  /// Runs the program to its end. `Process` is not used: it takes longer than the measured program.
  func run(_ argument: String) throws -> Start {
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw Missing(description: "No pipe: \(errno)") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    defer { posix_spawn_file_actions_destroy(&actions) }
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(argument), nil]
    defer { arguments.forEach { free($0) } }
    var process: pid_t = 0
    let begin = DispatchTime.now().uptimeNanoseconds
    let code = posix_spawn(&process, path, &actions, nil, &arguments, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard code == 0 else { throw Missing(description: "\(path) was not started: \(code)") }
    var status: CInt = 0
    waitpid(process, &status, 0)
    let whole = DispatchTime.now().uptimeNanoseconds - begin
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(ends[0], &bytes, bytes.count)
    let words = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split { !$0.isNumber }
    guard status == 0, words.count == 2, let time = Double(words[0]), let memory = Double(words[1]) else {
      throw Missing(description: "\(path) failed: \(status)")
    }
    return Start(
      milliseconds: time / 1e6, megabytes: memory * 1024 / 1e6, wholeMilliseconds: Double(whole) / 1e6)
  }

  /// The size of the program without its symbols, in bytes.
  func strippedSize(in folder: BenchmarkFolder) throws -> Double {
    let copy = folder.path("stripped")
    let strip = Process()
    strip.executableURL = URL(filePath: "/usr/bin/strip")
    strip.arguments = ["-o", copy, path]
    try strip.run()
    strip.waitUntilExit()
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    return (attributes[.size] as? NSNumber)?.doubleValue ?? .nan
  }
}
