import Foundation
import Testing

/// `Scripts/test.sh`, with a `swift` whose output the tests choose.
@Suite struct TestScriptTests {
  private static let start = """
    [1/2] Compiling Tidemark Row.swift
    ◇ Test run started.
    ◇ Suite Rows started.
    ◇ Test readsARow() started.
    """

  @Test func passingRunPrintsItsSummaryLast() throws {
    let run = try ScriptRun(
      """
      cat <<'END'
      \(Self.start)
      ✔ Test readsARow() passed after 0.001 seconds.
      ✔ Test run with 1 test in 1 suite passed after 0.002 seconds.
      END
      """)
    let answer = try run.answer()
    #expect(answer.status == 0)
    #expect(answer.lines.count == 2)
    #expect(answer.lines.last == "✔ Test run with 1 test in 1 suite passed after 0.002 seconds.")
    #expect(try run.log().contains("Compiling Tidemark Row.swift"))
  }

  @Test func firstLineNamesTheStepAndTheLog() throws {
    let run = try ScriptRun("echo '✔ Test run with 1 test passed after 1 second.'")
    #expect(try run.answer().lines.first?.contains("a first build takes 5 to 15 minutes") == true)
    let second = try run.answer()
    #expect(second.lines.first?.contains("last time it took 0 min") == true)
    #expect(second.lines.first?.contains("log: \(run.logPath)") == true)
  }

  @Test func failingTestsAreShownWithTheirMessages() throws {
    let answer = try ScriptRun(
      """
      cat <<'END'
      \(Self.start)
      ✘ Test readsARow() recorded an issue at RowTests.swift:7:3: Expectation failed: (a → 1) == (b → 2)
      ↳ the second row
      with a line more
      ✘ Test readsARow() failed after 0.001 seconds with 1 issue.
      ◇ Test passes() started.
      ✔ Test passes() passed after 0.001 seconds.
      ✘ Test run with 2 tests in 1 suite failed after 0.002 seconds with 1 issue.
      END
      exit 1
      """
    ).answer()
    #expect(answer.status == 1)
    #expect(
      answer.text.contains(
        """
        ✘ Test readsARow() recorded an issue at RowTests.swift:7:3: Expectation failed: (a → 1) == (b → 2)
          ↳ the second row
          with a line more

        """))
    #expect(!answer.text.contains("passes()"))
    #expect(answer.lines.last == "✘ Test run with 2 tests in 1 suite failed after 0.002 seconds with 1 issue.")
  }

  @Test func buildErrorsAreShownOnce() throws {
    let answer = try ScriptRun(
      """
      echo '[1/2] Compiling Tidemark Row.swift'
      for i in 1 2; do echo "Row.swift:3:1: error: cannot find 'x' in scope"; done
      exit 1
      """
    ).answer()
    #expect(answer.status == 1)
    #expect(answer.text.contains("test: the build failed\nRow.swift:3:1: error: cannot find 'x' in scope\n\n"))
  }

  @Test func aCrashNamesTheRunningTest() throws {
    let answer = try ScriptRun(
      """
      cat <<'END'
      \(Self.start)
      ◇ Test crashes() started.
      ✔ Test readsARow() passed after 0.001 seconds.
      Row.swift:12: Fatal error: no such column
      error: Exited with unexpected signal code 5
      END
      exit 1
      """
    ).answer()
    #expect(answer.status == 1)
    #expect(answer.text.contains("Tests in progress:\n  crashes()\nRow.swift:12: Fatal error: no such column\n"))
  }

  @Test func `tests with arguments that have ended are not in progress`() throws {
    let answer = try ScriptRun(
      """
      cat <<'END'
      ◇ Test run started.
      ◇ Test readsRows(count:) started.
      ◇ Test case passing 1 argument count → 0 to readsRows(count:) started.
      ◇ Test case passing 1 argument count → 1 to readsRows(count:) started.
      ✔ Test readsRows(count:) with 2 test cases passed after 0.001 seconds.
      ◇ Test "writes a row" started.
      ◇ Test case passing 1 argument kind → .queue to "writes a row" started.
      ✔ Test "writes a row" with 1 test case passed after 0.001 seconds.
      ◇ Test crashes() started.
      END
      exit 1
      """
    ).answer()
    #expect(answer.text.contains("Tests in progress:\n  crashes()\n\n"))
  }

  @Test func aHangNamesTheRunningTestAndStops() throws {
    let answer = try ScriptRun(
      """
      cat <<'END'
      \(Self.start)
      END
      sleep 1000
      """, environment: ["TIDEMARK_HANG_SECONDS": "1"]
    ).answer()
    #expect(answer.status == 1)
    #expect(answer.text.contains("the run hangs. Tests in progress:\n  readsARow()\n"))
  }

  @Test(.enabled(if: Command.exists("gdb"), "Takes gdb"))
  func `a hang shows where the threads wait`() throws {
    let answer = try ScriptRun(
      """
      cat <<'END'
      \(Self.start)
      END
      cp "$(command -v sleep)" "$LOG.xctest"
      "$LOG.xctest" 1000
      """, environment: ["TIDEMARK_HANG_SECONDS": "1"]
    ).answer()
    #expect(answer.text.contains("test: the threads of process "))
    #expect(answer.text.contains("nanosleep"))
    #expect(answer.text.contains("the run hangs. Tests in progress:\n  readsARow()\n"))
  }

  @Test(.enabled(if: Command.exists("perl"), "Takes perl"), arguments: [SIGINT, SIGTERM])
  func interruptStopsTheRun(number: Int32) throws {
    let run = try ScriptRun(
      """
      echo $$ > "$LOG.pid"
      cat <<'END'
      \(Self.start)
      END
      sleep 1000
      """)
    let answer = try run.answer(under: ScriptRun.withSignals) { process in
      while (try? run.log().contains("readsARow() started")) != true { usleep(10_000) }
      kill(process.processIdentifier, number)
    }
    #expect(answer.status == 130)
    #expect(answer.text.contains("interrupted; tests in progress:\n  readsARow()\n"))
    let child = try String(contentsOfFile: run.logPath + ".pid", encoding: .utf8)
    let isThere = kill(try #require(pid_t(child.filter(\.isNumber))), 0) == 0
    #expect(!isThere)
  }

  @Test func flagsAreForwardedToTheTestRunner() throws {
    let run = try ScriptRun(#"echo "called with $*"; echo '✔ Test run with 1 test passed after 1 second.'"#)
    _ = try run.answer()
    #expect(try run.log().contains("called with test --no-parallel --filter Rows"))
  }

  // MARK: - Two processes

  private static let lastLine = "✔ Test run with 1 test in 1 suite passed after 1 second."

  /// A `swift` that builds and runs tests, and another one that runs the other targets.
  private static func twoRuns(first: String, second: String) -> String {
    """
    echo "called with $*"
    echo '◇ Test run started.'
    case "$*" in *--skip-build*)
    \(second)
    ;; *)
    \(first)
    esac
    """
  }

  @Test func `without a filter, the tests run in two processes at the same time`() throws {
    // Each one waits for the other.
    let run = try ScriptRun(
      Self.twoRuns(
        first: """
          while [ ! -e "$LOG.there" ]; do sleep 0.1; done
          echo '\(Self.lastLine)'
          """,
        second: """
          touch "$LOG.there"
          echo '✔ Test run with 2 tests in 1 suite passed after 1 second.'
          """))
    let answer = try run.answer(flags: ["--no-parallel"])
    #expect(answer.status == 0)
    #expect(
      answer.lines.dropFirst() == [
        Self.lastLine,
        "✔ Test run with 2 tests in 1 suite passed after 1 second.",
      ])
    let targets = "^(StressTests|FaultTests|DemoTests|ArchitectureTests)"
    #expect(try run.log().contains(#"called with test --no-parallel --skip \#(targets)\."#))
    #expect(try run.log(".2").contains(#"--skip-build --ignore-lock --filter \#(targets)\."#))
  }

  @Test func `a failure of the second process is reported`() throws {
    let run = try ScriptRun(
      Self.twoRuns(
        first: "echo '\(Self.lastLine)'",
        second: """
          echo '◇ Test crashes() started.'
          exit 3
          """))
    let answer = try run.answer(flags: [])
    #expect(answer.status == 3)
    #expect(answer.text.contains("the run ended early, with status 3. Tests in progress:\n  crashes()\n"))
    #expect(answer.text.contains("The whole log: \(run.logPath).2\n"))
    #expect(answer.lines.last == Self.lastLine)
  }

  @Test func `a hang of the second process is reported`() throws {
    let run = try ScriptRun(
      Self.twoRuns(
        first: "echo '\(Self.lastLine)'",
        second: """
          echo '◇ Test hangs() started.'
          sleep 1000
          """), environment: ["TIDEMARK_HANG_SECONDS": "1"])
    let answer = try run.answer(flags: [])
    #expect(answer.status == 1)
    #expect(answer.text.contains("the run hangs. Tests in progress:\n  hangs()\n"))
  }

  @Test func `a second process is not started if the build fails`() throws {
    let run = try ScriptRun(
      """
      echo "called with $*"
      echo "Row.swift:3:1: error: cannot find 'x' in scope"
      exit 1
      """)
    let answer = try run.answer(flags: [])
    #expect(answer.text.contains("test: the build failed\nRow.swift:3:1: error"))
    #expect(!FileManager.default.fileExists(atPath: run.logPath + ".2"))
  }
}

/// A folder with its own `swift`, in which the script runs.
private final class ScriptRun {
  struct Answer {
    var status: Int32
    var text: String
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-test-sh-\(UUID().uuidString)")
  private let environment: [String: String]

  var logPath: String { folder.appending(path: "test.log").path() }

  init(_ swift: String, environment: [String: String] = [:]) throws {
    self.environment = environment
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let program = folder.appending(path: "swift").path()
    try "#!/bin/sh\n\(swift)\n".write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func log(_ suffix: String = "") throws -> String { try String(contentsOfFile: logPath + suffix, encoding: .utf8) }

  /// A shell cannot trap a signal that was blocked or ignored when it started: Swift's threads block some, and jobs
  /// in the background ignore SIGINT. This command starts another one with the signals of a terminal.
  static let withSignals = [
    "perl", "-MPOSIX", "-e",
    #"sigprocmask(SIG_SETMASK, POSIX::SigSet->new); $SIG{INT} = $SIG{TERM} = "DEFAULT"; exec @ARGV"#,
  ]

  /// Runs the script to its end.
  ///
  /// - Parameter flags: The flags of the script.
  /// - Parameter starter: The command that starts it, if any.
  /// - Parameter meanwhile: A closure that is called while it runs.
  func answer(
    flags: [String] = ["--no-parallel", "--filter", "Rows"], under starter: [String] = [],
    meanwhile: (Process) throws -> Void = { _ in }
  ) throws -> Answer {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = starter + ["bash", "Scripts/test.sh"] + flags
    process.currentDirectoryURL = SourceTree.root
    process.environment = ["PATH": "\(folder.path()):/usr/bin:/bin", "LOG": logPath]
      .merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    try meanwhile(process)
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Answer(status: process.terminationStatus, text: String(decoding: output, as: UTF8.self))
  }
}
