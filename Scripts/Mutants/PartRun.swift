import Foundation

/// The mutants of a part, and what became of them.
struct PartRun {
  enum Fate {
    case killed, timedOut, notReached, survived
  }

  let part: Part
  private(set) var fates: [(mutant: Mutant, fate: Fate)] = []

  /// - Parameter jobs: The number of processes at the same time.
  init(_ part: Part, _ mutants: [Mutant], _ program: TestProgram, highest: Int, jobs: Int) throws {
    self.part = part
    var coverage: [String: TestProgram.Coverage] = [:]
    for suite in part.suites + part.slowSuites {
      coverage[suite] = try program.coverage(of: suite, mutantCount: highest)
    }
    let seconds = coverage.values.reduce(0) { $0 + $1.seconds }
    print("mutants: \(part.name): \(mutants.count) mutants; its tests take \(Int(seconds.rounded(.up))) s")
    let results = Results(mutants.count)
    let (known, suites, slowSuites) = (coverage, part.suites, part.slowSuites)
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = jobs
    for (index, mutant) in mutants.enumerated() {
      queue.addOperation {
        results.set(index, Swift.Result { try Self.fate(of: mutant, [suites, slowSuites], known, program) })
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    for (index, mutant) in mutants.enumerated() { fates.append((mutant, try results.get(index))) }
  }

  /// Runs the suites that reach a mutant: one stage after the other, until one of them finds it.
  private static func fate(
    of mutant: Mutant, _ stages: [[String]], _ coverage: [String: TestProgram.Coverage], _ program: TestProgram
  ) throws -> Fate {
    var fate = Fate.notReached
    for stage in stages {
      let suites = stage.filter { coverage[$0]?.reached.contains(mutant.number) == true }
      if suites.isEmpty { continue }
      let usual = suites.reduce(0) { $0 + (coverage[$1]?.seconds ?? 0) }
      switch try program.run(suites, mutant: mutant.number, seconds: 5 + 8 * usual) {
      case .passed: fate = .survived
      case .failed: return .killed
      case .timedOut: return .timedOut
      }
    }
    return fate
  }

  private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Swift.Result<Fate, any Error>?]

    init(_ count: Int) { results = Array(repeating: nil, count: count) }

    func set(_ index: Int, _ result: Swift.Result<Fate, any Error>) {
      lock.lock()
      defer { lock.unlock() }
      results[index] = result
    }

    func get(_ index: Int) throws -> Fate { try results[index]!.get() }
  }

  // MARK: - Figures

  func count(_ fate: Fate) -> Int { fates.count { $0.fate == fate } }

  var survivors: [Mutant] { fates.filter { $0.fate == .survived || $0.fate == .notReached }.map(\.mutant) }

  /// The share of the mutants that tests have found, of all that do not behave like the original.
  func score(_ accepted: [Accepted]) -> Double {
    let equivalents = survivors.filter { mutant in accepted.contains { $0.isEquivalent && $0.matches(mutant) } }
    let count = fates.count - equivalents.count
    return count == 0 ? 1 : Double(self.count(.killed) + self.count(.timedOut)) / Double(count)
  }
}
