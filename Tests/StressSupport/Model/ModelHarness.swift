import Foundation

/// Executes sequences in child processes, and reduces those that fail, crash or hang.
package struct ModelHarness {
  package enum Failure: String, Sendable { case difference, crash, hang }

  /// A failed sequence.
  package struct Report: Sendable, CustomStringConvertible {
    package var failure: Failure
    package var mode: ModelMode

    /// The smallest script that fails, if the failure happens again.
    package var script: ModelScript

    /// The executed calls and the difference.
    package var text: String

    package var description: String {
      """
      \(failure) in a sequence of calls:
      \(text)
      To execute it again: StressChild model 0:\(mode.rawValue) \(script.text)
      """
    }
  }

  private let mode: ModelMode
  private let fault: ModelFault?

  /// The outcomes of all calls.
  package private(set) var counts = ModelCounts()

  package init(_ mode: ModelMode = .single, fault: ModelFault? = nil) { (self.mode, self.fault) = (mode, fault) }

  /// Executes sequences until the first failure.
  ///
  /// - Parameter seed: The seed of the first one. The others follow.
  package mutating func run(seed: UInt64, count: Int) throws -> Report? {
    let (code, output) = try execute("\(count)", "\(seed)")
    for line in output.split(separator: "\n") where line.hasPrefix("count\t") {
      let words = line.split(separator: "\t")
      if words.count == 3, let number = Int(words[2]) { counts.add(line: String(words[1]), number) }
    }
    if code == 0 { return nil }
    if let range = output.range(of: "difference\t") {
      let text = output[range.upperBound...]
      let script = ModelScript(String(text.prefix { $0 != "\n" && $0 != " " }))
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix("count\t") }
      return Report(
        failure: .difference, mode: mode, script: script ?? ModelScript(seed: seed, numbers: []),
        text: lines.joined(separator: "\n"))
    }
    let last = output.split(separator: "\n").last { $0.hasPrefix("seed\t") }
    let failed = last.flatMap { UInt64($0.dropFirst(5)) } ?? seed
    return try reduce(failed, code, output)
  }

  /// Reduces a sequence that crashes or hangs, one process for each attempt.
  private func reduce(_ seed: UInt64, _ code: Int32, _ output: String) throws -> Report {
    let script = ModelScript(seed: seed, numbers: Array(0..<ModelProgram.length))
    let reducer = ModelReducer { script in
      let other = try execute("0", script.text).code
      return other != 0 && other != 1
    }
    let reduced = try reducer.reduce(script)
    let text = try reduced.map { try execute("0", $0.text).output } ?? output + "\n(it has not happened again)"
    let failure = code == ModelWatchdog.hangCode ? Failure.hang : .crash
    return Report(failure: failure, mode: mode, script: reduced ?? script, text: "\(text)\nexit code \(code)")
  }

  private func execute(_ options: String, _ what: String) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = Child.program("StressChild")
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.arguments = ["model", "\(options):\(fault?.rawValue ?? mode.rawValue)", what]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
