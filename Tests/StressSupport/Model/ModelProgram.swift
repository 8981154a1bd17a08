import Foundation

/// How the commands of a sequence are executed.
package enum ModelMode: String, CaseIterable, Sendable {
  /// By one thread.
  case single

  /// By several threads at the same time.
  case tasks
}

/// The program that executes sequences, in a process of its own: so the tests survive crashes and hangs.
package struct ModelProgram {
  private enum Work {
    case sequences(seed: UInt64, count: Int)
    case script(ModelScript)
  }

  private let work: Work
  private let mode: ModelMode
  private let fault: ModelFault?

  /// The number of commands of a sequence, of which some are impossible.
  static let length = 90

  /// - Parameter options: The number of sequences, and perhaps a colon and a fault, or the mode.
  /// - Parameter what: The first seed, or a script.
  package init(_ options: String, _ what: String) throws {
    let words = options.split(separator: ":").map(String.init)
    fault = words.count > 1 ? ModelFault(rawValue: words[1]) : nil
    mode = words.count > 1 ? ModelMode(rawValue: words[1]) ?? .single : .single
    if let script = ModelScript(what) {
      work = .script(script)
    } else if let seed = UInt64(what), let count = words.first.flatMap({ Int($0) }) {
      work = .sequences(seed: seed, count: count)
    } else {
      throw ModelError("expected a number of sequences and a seed, or a script")
    }
  }

  /// - Returns: The exit code: 1 if there is a difference.
  package func run() -> CInt {
    let isPlanted = fault != nil
    if isPlanted { ModelWatchdog.shared.limit = .seconds(3) }
    do {
      switch work {
      case .script(let script):
        let patience: Duration = isPlanted ? .milliseconds(300) : .seconds(5)
        let result =
          mode == .single
          ? try script.run(fault: fault, patience: patience) { emit($0) } : try script.runTasks(patience: patience)
        if result.difference != nil { emit("with results:") }
        emit(result.text)
        return result.difference == nil ? 0 : 1
      case .sequences(let seed, let count): return try run(seed, count, isPlanted)
      }
    } catch {
      emit("the harness has failed: \(error)")
      return 3
    }
  }

  private func execute(_ script: ModelScript, _ patience: Duration) throws -> ModelResult {
    switch mode {
    case .single: try script.run(fault: fault, patience: patience)
    case .tasks: try script.runTasks(patience: patience)
    }
  }

  private func run(_ seed: UInt64, _ count: Int, _ isPlanted: Bool) throws -> CInt {
    var counts = ModelCounts()
    defer { counts.numbers.forEach { emit("count\t\($0.key)\t\($0.value)") } }
    for seed in (0..<count).map({ seed &+ UInt64($0) }) {
      emit("seed\t\(seed)")
      let script = ModelScript(seed: seed, numbers: Array(0..<Self.length))
      let result = try execute(script, isPlanted ? .milliseconds(300) : .seconds(60))
      counts.add(result.counts)
      guard result.difference != nil else { continue }
      let patience: Duration = isPlanted ? .milliseconds(300) : .seconds(3)
      let reducer = ModelReducer { script in
        // A difference between threads does not happen each time.
        for _ in 0..<(mode == .tasks ? 20 : 1) where try execute(script, patience).difference != nil { return true }
        return false
      }
      let reduced = try reducer.reduce(script)
      let again = try execute(reduced ?? script, patience)
      let report = again.difference == nil ? result : again
      let addition = reduced == nil ? " (it has not happened again)" : ""
      emit("difference\t\((reduced ?? script).text)\(addition)\n\(report.text)")
      return 1
    }
    return 0
  }
}

/// Removes the commands that a failure does not need.
package struct ModelReducer {
  /// Executes a script, and returns whether it fails.
  let fails: (ModelScript) throws -> Bool

  package init(fails: @escaping (ModelScript) throws -> Bool) { self.fails = fails }

  /// - Returns: The reduced script; nil if the script does not fail.
  package func reduce(_ script: ModelScript) throws -> ModelScript? {
    guard try fails(script) else { return nil }
    var script = script
    var count = script.numbers.count / 2
    while count > 0 {
      var start = 0
      var isReduced = false
      while start < script.numbers.count {
        var candidate = script
        candidate.numbers.removeSubrange(start..<min(start + count, script.numbers.count))
        if try fails(candidate) {
          script = candidate
          isReduced = true
        } else {
          start += count
        }
      }
      if count > 1 || !isReduced { count /= 2 }
    }
    return script
  }
}

/// Writes a line to the standard output at once: a crash loses no line.
private func emit(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
