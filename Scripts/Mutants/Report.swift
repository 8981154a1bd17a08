import Foundation

/// The results of the runs.
struct Report {
  /// The share of mutants that must be found in each part.
  static let required = 0.95

  let accepted: [Accepted]
  private var runs: [PartRun] = []
  private var problems: [String] = []

  init(accepted: [Accepted]) { self.accepted = accepted }

  /// Adds a part, and prints its survivors that are not accepted.
  mutating func add(_ run: PartRun) {
    runs.append(run)
    let unexplained = run.survivors.filter { mutant in !accepted.contains { $0.matches(mutant) } }
    for mutant in unexplained {
      let isReached = run.fates.contains { $0.mutant.number == mutant.number && $0.fate == .survived }
      print("\(isReached ? "survived" : "not reached"): \(mutant)")
    }
    for (mutant, fate) in run.fates where fate == .timedOut { print("timed out: \(mutant)") }
    print("\(run.part.name): \(figures(run).joined(separator: ", "))")
    if !unexplained.isEmpty { problems.append("\(run.part.name): \(unexplained.count) survivors are not explained") }
    if run.score(accepted) < Self.required { problems.append("\(run.part.name): too many mutants survive") }
  }

  mutating func add(problem: String) {
    print("mutants: \(problem)")
    problems.append(problem)
  }

  /// Prints the table of the parts.
  ///
  /// - Returns: Whether the requirements hold.
  mutating func finish() -> Bool {
    let files = Set(runs.flatMap(\.part.sources))
    let survivors = runs.flatMap(\.survivors)
    for entry in accepted where files.contains(entry.file) && !survivors.contains(where: entry.matches) {
      problems.append(
        "accepted.txt: no survivor is \(entry.file) in \(entry.function): \(entry.original)  →  \(entry.changed)")
    }
    print("")
    print(row("part", ["mutants", "killed", "timed out", "not reached", "survived", "equivalent", "found", "score"]))
    for run in runs { print(row(run.part.name, figures(run))) }
    for problem in problems { print("mutants: \(problem)") }
    return problems.isEmpty
  }

  private func figures(_ run: PartRun) -> [String] {
    let equivalents = run.survivors.filter { mutant in accepted.contains { $0.isEquivalent && $0.matches(mutant) } }
    let found = run.count(.killed) + run.count(.timedOut)
    let counts = [
      run.fates.count, run.count(.killed), run.count(.timedOut), run.count(.notReached), run.count(.survived),
    ]
    return (counts + [equivalents.count]).map(String.init)
      + [percent(Double(found) / Double(max(1, run.fates.count))), percent(run.score(accepted))]
  }

  private func percent(_ share: Double) -> String { String(format: "%.1f %%", (share * 1000).rounded(.down) / 10) }

  private func row(_ name: String, _ cells: [String]) -> String {
    name.padding(toLength: 22, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
  }
}
