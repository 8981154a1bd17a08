import Foundation
import StressSupport

/// Executes random sequences of calls, and compares the library with its model.
///
/// The path is a number of sequences, or `:` and a fault; the name is a seed, or a script.
func runModel(path: String, name: String) throws {
  let program = try ModelProgram(path, name)
  exit(program.run())
}
