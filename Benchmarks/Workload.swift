import Foundation

/// An operation, performed by the library and by bare C.
///
/// Both perform it on tables with the same content, each on its own connection, and `count` times.
struct Workload {
  /// The name of the operation: `insert: record`.
  let name: String

  /// The target for the cost, as a ratio to bare C, if there is one.
  let target: Double?

  /// The number of repetitions in a round.
  let count: Int

  /// The loop in bare C to compare with. Several workloads may share one.
  let bare: Side

  let library: Side

  /// Creates the data for both sides.
  var prepare: () throws -> Void = {}

  /// One of the sides of a comparison.
  struct Side {
    let name: String

    /// The measured operation.
    let work: () throws -> Void

    /// Restores the state before the operation, and is not measured.
    var restore: () throws -> Void = {}
  }
}

extension Workload {
  /// Whether the workload is selected.
  func isMeant(by names: [String]) -> Bool { names.isEmpty || names.contains { name.contains($0) } }
}

/// Measures workloads: the least time of all rounds, since noise only increases times.
///
/// The rounds of all sides are interleaved, so that slow phases of the machine affect all of them.
func measure(_ workloads: [Workload], rounds: Int, _ report: Report) throws {
  for workload in workloads { try workload.prepare() }
  var bestTimes: [String: Double] = [:]
  for _ in 0..<rounds {
    var done: Set<String> = []
    for side in workloads.flatMap({ [$0.bare, $0.library] }) where done.insert(side.name).inserted {
      let start = cpuTime()
      try measured(side.work)
      let time = cpuTime() - start
      try side.restore()
      bestTimes[side.name] = min(bestTimes[side.name] ?? .infinity, time)
    }
  }
  for workload in workloads {
    let bare = (bestTimes[workload.bare.name] ?? .nan) / Double(workload.count)
    let library = (bestTimes[workload.library.name] ?? .nan) / Double(workload.count)
    report.add(
      Figure(
        group: "reading and writing", name: workload.name, value: library / bare, unit: .ratio,
        target: workload.target, bare: bare, library: library))
  }
}

/// Runs an operation. Profilers measure what this function calls, and nothing else.
@inline(never)
func measured(_ work: () throws -> Void) rethrows { try work() }

/// The processor time of this program, in nanoseconds.
func cpuTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
