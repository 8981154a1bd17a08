// Compares the library with bare C. `make bench` runs all of it.
//
//     Benchmarks [--rounds COUNT] [--json FILE [--commit NAME]] [NAME…]
//     Benchmarks --side library|bare [NAME…]
//     Benchmarks --side library|bare feed [one|none|large|replay]
//     Benchmarks --side library streams [none|one|ten]
//     Benchmarks live [COUNT…]
//     Benchmarks matching [COUNT…]
//     Benchmarks bulk [--rounds COUNT] [CASE…]
//     Benchmarks slow [SECONDS]
//     Benchmarks streams [CASE…]
//     Benchmarks feed
//     Benchmarks writers [COUNT] [disk]
//     Benchmarks cluster [disk]
//     Benchmarks others [COUNT] [NORMAL|FULL] [wal|delete] [disk] [feed] [queries=COUNT]
//
// NAME selects the workloads and sections whose names contain it: workloads by their own names, the other sections by
// `conversions`, `dates`, `concurrent`, `writers`, `start`, `memory`, `live`, `matching`, `bulk`, `wakes`, `groups`,
// `differences`, `slow`, `streams`, `feed`, `cluster`, `builds`.
// With `--side`, one side of the workloads is run without a comparison, for profilers. With `--json`, the
// measurements are also written to a file.

import Foundation

var rounds = 7
var side: String?
var jsonPath: String?
var commit = "unknown"
var names: [String] = []
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
  case "--side": side = arguments.popFirst()
  case "--json": jsonPath = arguments.popFirst()
  case "--commit": commit = arguments.popFirst() ?? commit
  default: names.append(argument)
  }
}

if names.first == "committer" {
  try commitRepeatedly(Array(names.dropFirst()))
  exit(0)
}

let folder = try BenchmarkFolder()
defer { folder.remove() }
let report = Report()
let machineTimeAtStart = MachineTime()

if names.first == "others" {
  try measureOtherProcesses(folder, Array(names.dropFirst()))
  folder.remove()
  exit(0)
}

if let side, ["feed", "streams"].contains(names.first) {
  let name = names.dropFirst().first
  if names.first == "feed" {
    try runChangeFeed(folder, rounds: rounds, side: side, name: name)
  } else {
    try runChangeStreams(folder, rounds: rounds, name: name)
  }
  folder.remove()
  exit(0)
}

let families = [writing, reading, columns, lookups, associations, accesses, fullText, typedQueries]
if let side, names.first != "bulk" {
  for workload in try families.flatMap({ try $0(folder) }) where workload.isMeant(by: names) {
    try workload.prepare()
    try measured((side == "bare" ? workload.bare : workload.library).work)
  }
  folder.remove()
  exit(0)
}

switch names.first {
case "live":
  let counts = names.dropFirst().compactMap { Int($0) }
  try measureLiveQueries(folder, counts: counts.isEmpty ? [10_000] : counts, report)
case "matching":
  let counts = names.dropFirst().compactMap { Int($0) }
  try measureMatching(folder, counts: counts.isEmpty ? [100, 1_000, 10_000] : counts, report)
case "bulk":
  try measureBulkWrites(folder, rounds: rounds, names: Array(names.dropFirst()), side == nil ? report : nil)
case "streams":
  try measureChangeStreams(folder, rounds: rounds, names: Array(names.dropFirst()), report)
case "feed":
  try measureChangeFeed(folder, rounds: rounds, report)
case "writers":
  try measureConcurrentWrites(folder, rounds: min(rounds, 3), names: Array(names.dropFirst()), report)
case "cluster":
  try measureCluster(folder, names: Array(names.dropFirst()), report)
case "slow" where names.count == 2:
  try measureSlowConsumers(folder, seconds: Int(names[1]) ?? 60, report)
default:
  let sections: [(name: String, measure: () throws -> Void)] = [
    ("conversions", { try measureConversions(folder, rounds: rounds, report) }),
    ("dates", { measureDateFormats(rounds: rounds, report) }),
    ("concurrent", { try measureConcurrentReads(folder, rounds: rounds, report) }),
    ("writers", { try measureConcurrentWrites(folder, rounds: min(rounds, 3), names: [], report) }),
    ("start", { try measureStartUp(folder, rounds: rounds, report) }),
    ("memory", { try measureConnectionMemory(folder, report) }),
    ("live", { try measureLiveQueries(folder, counts: [10_000], report) }),
    ("matching", { try measureMatching(folder, counts: [100, 10_000], report) }),
    ("bulk", { try measureBulkWrites(folder, rounds: rounds, names: [], report) }),
    ("wakes", { try measureWakes(folder, report) }),
    ("groups", { try measureGroups(folder, transactionCount: 1_000_000, report) }),
    ("differences", { try measureDifferences(folder, rounds: rounds, report) }),
    ("slow", { try measureSlowConsumers(folder, seconds: 20, report) }),
    ("streams", { try measureChangeStreams(folder, rounds: rounds, names: [], report) }),
    ("feed", { try measureChangeFeed(folder, rounds: rounds, report) }),
    ("cluster", { try measureCluster(folder, names: [], report) }),
    ("builds", { try measureBuildTimes(report) }),
  ]
  for family in families {
    let workloads = try family(folder).filter { $0.isMeant(by: names) }
    try measure(workloads, rounds: rounds, report)
  }
  for section in sections where names.isEmpty || names.contains(section.name) { try section.measure() }
}
if let machineTimeAtStart, let share = MachineTime()?.stolenShare(since: machineTimeAtStart), side == nil {
  report.add(Figure(group: "machine", name: "time that the host gave to others", value: share, unit: .waste))
}
if side == nil { report.printMissed() }
if let jsonPath { try report.write(to: jsonPath, commit: commit) }
