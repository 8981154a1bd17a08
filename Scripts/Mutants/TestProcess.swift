import Foundation
import Glibc

/// A process that runs tests.
struct TestProcess {
  var arguments: [String]
  var environment: [String: String]

  enum Outcome: Equatable {
    case passed
    case failed
    case timedOut
  }

  struct Answer {
    var outcome: Outcome
    var output: String
    var seconds: Double
  }

  /// Runs the process until it ends, reports its first issue, or exceeds its time.
  func run(seconds limit: Double, stopsAtIssue: Bool = true) throws -> Answer {
    let start = Date()
    let (process, input) = try spawn()
    defer { close(input) }
    var output = Data()
    var scanned = 0
    var outcome: Outcome?
    var hasEnded = false
    while !hasEnded {
      if Date().timeIntervalSince(start) > limit { outcome = .timedOut }
      if let outcome, outcome != .passed { break }
      var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let isReadable = poll(&request, 1, 20) > 0
      if isReadable {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(input, &bytes, bytes.count)
        output.append(contentsOf: bytes.prefix(max(count, 0)))
        if stopsAtIssue, Self.hasIssue(output, from: &scanned) { outcome = .failed }
        if count > 0 { continue }
      }
      var status: Int32 = 0
      if waitpid(process, &status, isReadable ? 0 : WNOHANG) == process {
        hasEnded = true
        outcome = outcome ?? (status == 0 ? .passed : .failed)
      }
    }
    kill(-process, SIGKILL)
    if !hasEnded { waitpid(process, nil, 0) }
    let text = String(decoding: output, as: UTF8.self)
    return Answer(outcome: outcome ?? .failed, output: text, seconds: Date().timeIntervalSince(start))
  }

  private static let issue = Data("recorded an issue".utf8)

  private static func hasIssue(_ output: Data, from start: inout Int) -> Bool {
    let found = output.range(of: issue, in: start..<output.count)
    start = max(0, output.count - issue.count)
    return found != nil
  }

  /// While a process starts, no other one does: it would inherit the pipe.
  private static let startLock = NSLock()

  /// Starts the process as the leader of a group, so that its child processes can be stopped with it.
  ///
  /// - Returns: The process, and the descriptor from which its output is read.
  private func spawn() throws -> (pid_t, Int32) {
    Self.startLock.lock()
    defer { Self.startLock.unlock() }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure("could not create a pipe: \(errno)") }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var envp: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var process = pid_t()
    let result = posix_spawnp(&process, arguments[0], &actions, &attributes, &argv, &envp)
    guard result == 0 else {
      close(ends[0])
      throw Failure("could not start \(arguments[0]): \(result)")
    }
    return (process, ends[0])
  }
}

/// Runs a command, and returns its output and status.
func command(_ arguments: [String], in folder: String? = nil) throws -> (output: String, status: Int32) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = arguments
  if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (String(decoding: data, as: UTF8.self), process.terminationStatus)
}
