import Foundation

/// A dashboard of live queries. See `Usage`, or `Demo --help`.
///
/// - `Model` contains the state of the screen, as a value, and observes live queries with `for await`.
/// - `View` draws this state into cells: a pure function. `Cells` contains the grid that it draws on.
/// - `Terminal` contains everything that depends on terminals.
/// - `World` is the demo market, `Watch` contains the commands for any other database.
@main
struct Demo {
  static func main() {
    let status: Int32
    do {
      try run(DemoCommand(Array(CommandLine.arguments.dropFirst())))
      status = 0
    } catch Failure.closedOutput {
      Signals.die(of: SIGPIPE)
    } catch let failure as Failure {
      complain(failure.sentence)
      if case .usage = failure { complain("Demo --help says what there is.") }
      status = failure.exitCode
    } catch {
      complain("\(error)")
      status = 1
    }
    exit(status)
  }

  private static func run(_ command: DemoCommand) throws {
    // Report writing to a closed pipe as an error of the write.
    signal(SIGPIPE, SIG_IGN)
    switch command {
    case .help: try printLine(Usage.text)
    case .version: try printLine(Usage.version)
    case .world(let options): try WorldCommand(options).run()
    case .node(let options): try NodeCommand(options).run()
    case .watch(let options): try WatchCommand(options).run()
    }
  }

  static func printLine(_ text: String) throws {
    try writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO)
  }

  static func complain(_ text: String) {
    // Paths and SQL can contain control characters.
    let shown = text.split(separator: "\n", omittingEmptySubsequences: false).map(\.visible).joined(separator: "\n")
    // If standard error is closed, the failure cannot be reported.
    try? writeAll(Array("Demo: \(shown)\n".utf8), to: STDERR_FILENO)
  }

  /// Whether standard output can show a screen.
  static var hasScreen: Bool {
    Terminal.isTerminal(STDOUT_FILENO) && !ColorSupport.isDumb(ProcessInfo.processInfo.environment)
  }
}
