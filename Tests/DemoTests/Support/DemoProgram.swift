import Foundation
import TestSupport
import Testing

/// The demo as it was built beside the tests.
enum DemoProgram {
  static let path: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(filePath: own).deletingLastPathComponent().appending(path: "Demo").path()
  }()

  static let isBuilt = FileManager.default.isExecutableFile(atPath: path)

  /// The environment of every run: no backtraces, which take minutes; and no leak reports, since a program that ends
  /// does not wait for its tasks, which looks like a leak.
  static let environment = ["SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"]

  /// `POSIX_SPAWN_SETSID`, which Swift does not import.
  private static let setSession = 0x80

  /// Starts the program in a session of its own, with the given terminal.
  static func spawn(_ arguments: [String], terminal: String, environment: [String: String]) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(setSession))
    let all = ["PATH": "/usr/bin:/bin", "HOME": "/", "TERM": "xterm-256color"]
      .merging(self.environment) { _, new in new }
      .merging(environment) { _, new in new }
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + variables).forEach { free($0) } }
    var process: pid_t = 0
    try #require(posix_spawn(&process, path, &actions, &attributes, words, variables) == 0)
    return process
  }

  struct Output {
    var status: Int32
    var signal: Int32?
    var text: String
    var complaint: String
    var lines: [String] { text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }
  }

  /// Runs the program without a terminal, and waits for its end.
  static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Output {
    let running = try Running(arguments, environment: environment)
    return running.finish()
  }

  /// The running program without a terminal.
  final class Running {
    private let process = Process()
    private let output = Pipe()
    private let complaints = Pipe()
    private var read = Data()
    private var readOfComplaints = Data()

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
      process.executableURL = URL(filePath: DemoProgram.path)
      process.arguments = arguments
      process.environment = ProcessInfo.processInfo.environment
        .merging(DemoProgram.environment) { _, new in new }
        .merging(environment) { _, new in new }
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = complaints
      try process.run()
    }

    /// The next line of its standard output.
    func line() -> String { Self.line(of: output, &read) }

    /// The next line of its standard error.
    func complaintLine() -> String { Self.line(of: complaints, &readOfComplaints) }

    private static func line(of pipe: Pipe, _ read: inout Data) -> String {
      while true {
        if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: read[..<end], as: UTF8.self)
          read = Data(read[(end + 1)...])
          return line
        }
        do {
          try Wait.until("a line of the program") { isReadable(pipe) }
        } catch {
          return "(nothing came)"
        }
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { return "(the end)" }
        read += data
      }
    }

    private static func isReadable(_ pipe: Pipe) -> Bool {
      var file = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      return poll(&file, 1, 50) > 0
    }

    /// Kills a program that does not end by itself: the test fails, and the run continues.
    private func endSomehow() {
      try? Wait.until("the end of the program") { !process.isRunning }
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Closes the reading end of its output.
    func stopReading() throws { try output.fileHandleForReading.close() }

    /// Waits for the end of a program whose output is not read.
    func status() -> (reason: Process.TerminationReason, status: Int32) {
      endSomehow()
      return (process.terminationReason, process.terminationStatus)
    }

    func finish() -> Output {
      // A program that writes endlessly fills the pipe, and is killed.
      endSomehow()
      let text = read + output.fileHandleForReading.readDataToEndOfFile()
      let complaint = complaints.fileHandleForReading.readDataToEndOfFile()
      return Output(
        status: process.terminationStatus,
        signal: process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil,
        text: String(decoding: text, as: UTF8.self), complaint: String(decoding: complaint, as: UTF8.self))
    }
  }
}
