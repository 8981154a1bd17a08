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

    /// The value behind which no row matters, if there is one: see `RegionBound`. An empty array takes less room than a
    /// value that is not there.
    var bound: [DatabaseValue] = []

    var region: DatabaseRegion { plan.region(arguments, bound: bound.first) }

    func isSameExecution(as other: Step) -> Bool { plan == other.plan && arguments == other.arguments }
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
    steps.reduce(rest) { $0.union($1.region) }
  }

  /// Adds what an execution reads.
  mutating func add(_ plan: RegionPlan, _ arguments: [DatabaseValue]?) {
    add(Step(plan: plan, arguments: plan.dependsOnArguments ? arguments : nil))
  }

  /// Adds the value behind which no row matters to an execution, all rows of which were shown.
  mutating func setBound(_ bound: DatabaseValue, of plan: RegionPlan, _ arguments: [DatabaseValue]?) {
    let step = Step(plan: plan, arguments: plan.dependsOnArguments ? arguments : nil)
    // Of those that follow the first ones, the region is kept as it was.
    guard let index = steps.firstIndex(where: { $0.isSameExecution(as: step) }) else { return }
    steps[index].bound = [bound]
  }

  private mutating func add(_ step: Step) {
    if rest.isFullDatabase { return }
    // The same execution reads the same rows again: all of one fetch is read from one state.
    if steps.contains(where: { $0.isSameExecution(as: step) }) { return }
    if steps.count < Self.stepsMax {
      steps.append(step)
    } else {
      rest.formUnion(step.region)
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
    for step in other.steps {
      if let index = steps.firstIndex(where: { $0.isSameExecution(as: step) }) {
        // Which of both is that of the state that counts is not known here.
        if steps[index].bound != step.bound { steps[index].bound = [] }
      } else {
        add(step)
      }
    }
  }
}
