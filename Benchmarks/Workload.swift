import Foundation

/// Some work, done by the library and by bare C.
///
/// Both do the same on tables of the same content, each on a connection of its own, and each as many times as `count`
/// says.
struct Workload {
  /// What is done: `insert: record`.
  let name: String

  /// The cost that is aimed at, as a ratio to that of bare C, where there is an aim.
  let target: Double?

  /// How many times it is done in a round.
  let count: Int

  /// What bare C is compared with. Several workloads may be compared with the same.
  let bare: Side

  let library: Side

  /// Makes what both sides use.
  var prepare: () throws -> Void = {}

  /// One of the sides of a comparison.
  struct Side {
    let name: String

    /// What is measured.
    let work: () throws -> Void

    /// What puts everything back as it was, and is not measured.
    var restore: () throws -> Void = {}
  }
}

extension Workload {
  /// Whether it is to be run.
  func isMeant(by names: [String]) -> Bool { names.isEmpty || names.contains { name.contains($0) } }
}

/// Measures workloads: the least time of all rounds, since noise only adds.
///
/// The rounds of all sides are interleaved, so that a machine that is slow for some time is slow for all.
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

/// Does some work. Profilers look for this function, and leave out what it does not call.
@inline(never)
func measured(_ work: () throws -> Void) rethrows { try work() }

/// The time that the processor has spent on this program, in nanoseconds.
func cpuTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
