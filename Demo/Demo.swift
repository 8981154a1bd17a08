import Foundation

/// A dashboard of live queries. See `Usage`, or `Demo --help`.
///
/// - `Model` has what is shown, as a value, and follows live queries with `for await`.
/// - `View` makes cells of it: a function without a state. `Cells` is what it draws on.
/// - `Terminal` has all that knows of terminals.
/// - `World` is the market that is looked at, `Watch` what is done with any other database.
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
    // A pipe that nobody reads is an error of the write.
    signal(SIGPIPE, SIG_IGN)
    switch command {
    case .help: try printLine(Usage.text)
    case .version: try printLine(Usage.version)
    case .world(let options): try WorldCommand(options).run()
    case .watch(let options): try WatchCommand(options).run()
    }
  }

  static func printLine(_ text: String) throws {
    try writeAll(Array((text + "\n").utf8), to: STDOUT_FILENO)
  }

  static func complain(_ text: String) {
    // What is a path or SQL may hold anything.
    let shown = text.split(separator: "\n", omittingEmptySubsequences: false).map(\.visible).joined(separator: "\n")
    // Where nobody listens there is nobody to tell.
    try? writeAll(Array("Demo: \(shown)\n".utf8), to: STDERR_FILENO)
  }

  /// Whether a screen can be drawn on the standard output.
  static var hasScreen: Bool {
    Terminal.isTerminal(STDOUT_FILENO) && !ColorSupport.isDumb(ProcessInfo.processInfo.environment)
  }
}
