// Compares the library with bare C. `make bench` runs it.
//
//     Benchmarks [--rounds COUNT] [--side library|bare] [NAME…]
//     Benchmarks live [COUNT…]
//     Benchmarks bulk [--rounds COUNT] [CASE…]
//     Benchmarks wakes
//     Benchmarks slow [SECONDS]
//
// Only the workloads are run whose name contains one of the names, if there are any. With `--side`, one side is run and
// nothing is compared: that is for profilers.

import Foundation

var rounds = 7
var side: String?
var names: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
  case "--side": side = arguments.popFirst()
  default: names.append(argument)
  }
}

let folder = try BenchmarkFolder()
defer { folder.remove() }

if names.first == "live" {
  let counts = names.dropFirst().compactMap { Int($0) }
  try measureLiveQueries(folder, counts: counts.isEmpty ? [10_000] : counts)
  folder.remove()
  exit(0)
}

if names.first == "bulk" {
  try measureBulkWrites(folder, rounds: rounds, names: Array(names.dropFirst()), isCompared: side == nil)
  folder.remove()
  exit(0)
}

if names.first == "wakes" {
  try measureWakes(folder)
  folder.remove()
  exit(0)
}

if names.first == "slow" {
  try measureSlowConsumers(folder, seconds: names.dropFirst().first.flatMap { Int($0) } ?? 60)
  folder.remove()
  exit(0)
}

let families = [writing, reading, columns, lookups, accesses, typedDialect]
let workloads = try families.flatMap { try $0(folder) }.filter { workload in
  names.isEmpty || names.contains { workload.name.contains($0) }
}

var measures = Measures()
if let side {
  for workload in workloads { try measures.add(side == "bare" ? workload.bare : workload.library) }
} else {
  for _ in 0..<rounds { try measures.addRound(of: workloads) }
  print(pad("workload", 44), pad("C", 12), pad("library", 12), pad("ratio", 8), "target")
  for workload in workloads {
    let bare = measures.time(of: workload.bare, in: workload)
    let library = measures.time(of: workload.library, in: workload)
    print(
      pad(workload.name, 44), pad(nanoseconds(bare), 12), pad(nanoseconds(library), 12),
      pad(String(format: "%.2f", library / bare), 8), workload.target.map { "\($0)" } ?? "")
  }
}

func pad(_ text: String, _ width: Int) -> String { text.padding(toLength: width, withPad: " ", startingAt: 0) }
func nanoseconds(_ time: Double) -> String { String(format: "%.0f ns", time) }
