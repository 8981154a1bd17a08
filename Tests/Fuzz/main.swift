import CLibFuzzer
import Foundation
import FuzzTargets

// Runs libFuzzer with a target: `TIDEMARK_FUZZ_TARGET=name Fuzz [arguments of libFuzzer]`. Without the variable, it
// prints the names of the targets with the maximum lengths of their inputs. `Scripts/fuzz.sh` runs it.
//
// The environment names the target, and not an argument: to merge corpora, libFuzzer starts the program again, with
// arguments of its own.

private let variable = "TIDEMARK_FUZZ_TARGET"

private func report(_ message: String) {
  FileHandle.standardError.write(Data("\(message)\n".utf8))
}

guard let name = ProcessInfo.processInfo.environment[variable] else {
  for target in FuzzTarget.all { print(target.name, target.maxLength) }
  exit(0)
}

private let targets = FuzzTarget.all + [.plantedFailure, .plantedMemoryError]

guard let selected = targets.first(where: { $0.name == name }) else {
  report("\(variable): there is no target \(name); they are \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
  exit(2)
}

/// The target that the C callback checks.
private let target = selected

private var count = CommandLine.argc
private var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv

let status = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
  do {
    try target.check(Array(UnsafeBufferPointer(start: data, count: size)))
  } catch {
    // libFuzzer stores the input when the process receives the signal.
    report("fuzz: \(target.name): \(error)")
    abort()
  }
  return 0
}
exit(status)
