/// What statements have read: which ones, with which arguments.
///
/// Two that are equal have read the same region. A selection is cheaper to compare and to keep than a region, which is
/// made only when it is asked for.
struct Selection: Equatable, Sendable {
  /// An execution of a statement.
  private struct Step: Equatable {
    var plan: RegionPlan

    /// Nil when they do not matter.
    var arguments: [DatabaseValue]?
  }

  /// Of more executions, those that follow are kept as a region.
  private static let stepsMax = 8

  private var steps = ShortList<Step>()
  private var rest: DatabaseRegion

  /// What is in a region.
  init(_ region: DatabaseRegion = DatabaseRegion()) {
    rest = region
  }

  /// What was read. It takes a while.
  var region: DatabaseRegion {
    steps.reduce(rest) { $0.union($1.plan.region($1.arguments)) }
  }

  /// Adds what an execution reads.
  mutating func add(_ plan: RegionPlan, _ arguments: [DatabaseValue]?) {
    add(Step(plan: plan, arguments: plan.dependsOnArguments ? arguments : nil))
  }

  private mutating func add(_ step: Step) {
    if rest.isFullDatabase || steps.contains(step) { return }
    if steps.count < Self.stepsMax {
      steps.append(step)
    } else {
      rest.formUnion(step.plan.region(step.arguments))
    }
  }

  /// Adds a region.
  mutating func add(_ region: DatabaseRegion) {
    rest.formUnion(region)
    if rest.isFullDatabase { steps = ShortList() }
  }

  /// Adds another selection.
  mutating func add(_ other: Selection) {
    add(other.rest)
    other.steps.forEach { add($0) }
  }
}
