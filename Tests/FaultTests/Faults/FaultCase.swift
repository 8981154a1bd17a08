import CFaultVFS
import StressSupport

/// The kind of failing operations: calls to the disk, or memory allocations.
enum Injection: CustomStringConvertible {
  case disk(FaultVFS.Fault)
  case memory

  var description: String {
    switch self {
    case .disk(let fault): "\(fault)"
    case .memory: "memory"
    }
  }

  func arm(_ world: World, at number: Int, forGood: Bool) {
    switch self {
    case .disk(let fault): world.vfs.arm(fault, at: number, forGood: forGood)
    case .memory: fault_memory_arm(Int64(number), forGood ? 1 : 0)
    }
  }

  func disarm(_ world: World) {
    switch self {
    case .disk: world.vfs.disarm()
    case .memory: fault_memory_disarm()
    }
  }

  func injectedCount(_ world: World) -> Int {
    switch self {
    case .disk: world.vfs.injectedCount
    case .memory: Int(fault_memory_injected_count())
    }
  }

  func resetCount(_ world: World) {
    switch self {
    case .disk: world.vfs.resetCounts()
    case .memory: fault_memory_reset_count()
    }
  }

  func count(_ world: World) -> Int {
    switch self {
    case .disk(let fault): world.vfs.callCount(fault)
    case .memory: Int(fault_memory_count())
    }
  }
}

/// One scenario, with one fault at one moment.
struct FaultCase: CustomStringConvertible {
  var scenario: Scenario
  var injection: Injection
  var number: Int
  var isForGood: Bool

  /// Whether the program takes an unknown outcome for a rollback, which must be detected.
  var isNaive = false

  var description: String {
    "\(scenario), \(injection), number \(number) \(isForGood ? "and all later ones" : "alone")"
  }

  struct Result {
    var injectedCount = 0
    var stopCount = 0
    var hasHung = false
    var problems: [String] = []
  }

  func run(_ template: Template) throws -> Result {
    let world = try World(scenario.kind, template: scenario.hasTemplate ? template : nil)
    world.isNaive = isNaive
    try scenario.prepare(world)
    injection.arm(world, at: number, forGood: isForGood)
    scenario.act(world)
    let injectedCount = injection.injectedCount(world)
    injection.disarm(world)
    world.checkCrash()
    if scenario.hasTemplate {
      world.checkRecovery()
    } else {
      try world.finishCreation()
    }
    world.close()
    world.check(world.path, "at the end")
    try scenario.verify(world)
    return Result(
      injectedCount: injectedCount, stopCount: world.stopCount, hasHung: world.hasHung, problems: world.problems)
  }

  /// All cases of a scenario: each moment, once and permanently.
  static func all(of scenario: Scenario, _ injections: [Injection], _ template: Template) throws -> [FaultCase] {
    try all(of: scenario, injections) {
      try World(scenario.kind, template: scenario.hasTemplate ? template : nil)
    }
  }

  /// All cases of a scenario, for worlds that are made by a closure.
  static func all(
    of scenario: Scenario, _ injections: [Injection], _ makeWorld: () throws -> World
  ) throws -> [FaultCase] {
    try injections.flatMap { injection in
      let world = try makeWorld()
      try scenario.prepare(world)
      injection.resetCount(world)
      scenario.act(world)
      let count = injection.count(world)
      world.close()
      guard world.problems.isEmpty else { throw PlainDatabase.Failure(description: "\(scenario): \(world.problems)") }
      return (0..<count).flatMap { number in
        [false, true].map {
          FaultCase(scenario: scenario, injection: injection, number: number + 1, isForGood: $0)
        }
      }
    }
  }

  /// Runs all cases, or in a normal run of the tests some that the seed selects.
  static func run(_ all: [FaultCase], daily: Int, _ template: Template, _ run: Run) throws {
    var numbers = RandomNumbers(seed: run.seed)
    let cases = Scale.isFull ? all : Array(all.shuffled(using: &numbers).prefix(daily))
    for fault in cases {
      let result: Result
      do {
        result = try fault.run(template)
      } catch {
        run.problem("\(fault): \(error)")
        continue
      }
      run.count("cases")
      run.count("faults", result.injectedCount)
      run.count("stops", result.stopCount)
      for problem in result.problems { run.problem("\(fault): \(problem)") }
      // Other cases would hang, too.
      if result.hasHung { break }
    }
  }
}

extension World {
  /// The file that could not be created before can be created now.
  func finishCreation() throws {
    if writer == nil, let error = attempt("open again", { try open() }) {
      return problem("not opened again: \(error)")
    }
    if !hasSchema(), let error = attempt("create", { try writer?.write { try $0.execute(sql: World.schema) } }) {
      guard error.isDatabaseStopped else { return problem("not usable any more: \(error)") }
      close()
      return try finishCreation()
    }
    if let error = write() ?? read() {
      guard error.isDatabaseStopped else { return problem("not usable any more: \(error)") }
      close()
      try open()
      if let error = write() { problem("opened again, and not usable: \(error)") }
    }
  }
}
