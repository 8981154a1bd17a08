import Foundation
import TestSupport

/// A process that writes to the database, and that can be killed.
package final class Child: Sendable {
  private let process: Process
  private let acknowledgements = Pipe()
  private let complaints = Pipe()
  private let orders = Pipe()

  /// A program that is built beside the test runner.
  static func program(_ name: String) -> URL {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(filePath: own).deletingLastPathComponent().appending(path: name)
  }

  package static var isBuilt: Bool { isBuilt("StressChild") }

  /// Whether a program is built beside the test runner.
  package static func isBuilt(_ name: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: program(name).path())
  }

  /// The list of the descriptors of a program that this process starts.
  package static func inheritedDescriptors() throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/ls")
    process.arguments = ["-l", "/proc/self/fd"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    defer { process.waitUntilExit() }
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// - Parameter operation: The work to do, see `Tests/StressChild`.
  package convenience init(_ operation: String, database: String, name: String) throws {
    try self.init(program: "StressChild", arguments: [operation, database, name])
  }

  /// - Parameters:
  ///   - program: The name of a program that is built beside the test runner.
  ///   - launcher: A command with its arguments that executes the program in the same process, such as `nsenter`.
  package init(program: String, arguments: [String], launcher: [String] = []) throws {
    let words = launcher + [Self.program(program).path()] + arguments
    process = Process()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardOutput = acknowledgements
    process.standardError = complaints
    process.standardInput = orders
    try process.run()
  }

  /// Asks it to continue, if it waits for that.
  package func goOn() { write(Data([1])) }

  /// Stops all its threads, at an arbitrary point of its work, until `resume`.
  package func stop() throws {
    Foundation.kill(process.processIdentifier, SIGSTOP)
    try waitUntilStopped()
  }

  /// Waits until it is stopped, by itself or by `stop`.
  package func waitUntilStopped() throws {
    try Wait.until("stopped process") {
      let state = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
      // The state follows the name of the program, which is in parentheses.
      return state.split(separator: ")").last?.split(separator: " ").first == "T"
    }
  }

  /// Lets it go on after a stop.
  package func resume() { Foundation.kill(process.processIdentifier, SIGCONT) }

  /// Waits for a number of acknowledged commits.
  ///
  /// - Returns: The number of bytes that were read.
  package func wait(acknowledged count: Int) -> Int {
    var bytes = 0
    while bytes < count * 8 {
      let data = acknowledgements.fileHandleForReading.readData(ofLength: count * 8 - bytes)
      if data.isEmpty { break }
      bytes += data.count
    }
    return bytes
  }

  /// Sends it a number. If the process has ended, `receive` returns nil.
  package func send(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { write(Data($0)) }
  }

  /// Sends it bytes, after their number.
  package func send(_ data: Data) {
    send(Int64(data.count))
    write(data)
  }

  /// Writes to its standard input. If it has ended, this has no effect.
  ///
  /// A write to a pipe without a reader raises a signal that would end this process. It is blocked for this thread, and
  /// consumed. If the process ignored it, the programs that it starts would ignore it, too.
  private func write(_ data: Data) {
    var (pipeSignal, former, pending, number) = (sigset_t(), sigset_t(), sigset_t(), CInt(0))
    sigemptyset(&pipeSignal)
    sigaddset(&pipeSignal, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipeSignal, &former)
    do {
      try orders.fileHandleForWriting.write(contentsOf: data)
    } catch {
      // The test reports the complaint of the program when it receives nothing.
      sigemptyset(&pending)
      sigpending(&pending)
      if sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipeSignal, &number) }
    }
    pthread_sigmask(SIG_SETMASK, &former, nil)
  }

  /// Waits for the next number that it acknowledges.
  ///
  /// - Returns: The number; nil if the process has ended.
  package func receive() -> Int64? {
    var bytes = Data()
    while bytes.count < 8 {
      let data = acknowledgements.fileHandleForReading.readData(ofLength: 8 - bytes.count)
      if data.isEmpty { return nil }
      bytes += data
    }
    return Self.numbers(bytes).first
  }

  /// Kills it, at an arbitrary point of its work.
  ///
  /// - Parameter bytes: The number of bytes of acknowledgements that were read.
  /// - Returns: The number of acknowledged commits, and the violations that it reported before.
  package func kill(afterBytes bytes: Int) -> (acknowledged: Int, complaint: String) {
    let (rest, complaint) = kill()
    return ((bytes + rest.count) / 8, complaint)
  }

  /// Kills it, at an arbitrary point of its work.
  ///
  /// - Returns: The acknowledged numbers that were not received, and the violations that it reported before.
  package func killReceivingRest() -> (numbers: [Int64], complaint: String) {
    let (rest, complaint) = kill()
    return (Self.numbers(rest), complaint)
  }

  private func kill() -> (rest: Data, complaint: String) {
    Foundation.kill(process.processIdentifier, SIGKILL)
    let rest = acknowledgements.fileHandleForReading.readDataToEndOfFile()
    let complaint = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (rest, String(decoding: complaint, as: UTF8.self))
  }

  private static func numbers(_ bytes: Data) -> [Int64] {
    bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count - 7, by: 8).map {
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
      }
    }
  }
}
