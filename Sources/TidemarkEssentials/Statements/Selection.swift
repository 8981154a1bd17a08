/// What the rows of a state have told about which rows matter, as long as nobody changes those that do.
enum RegionSight: Equatable, Sendable {
  case nothing

  /// The values behind which no row matters: see `RegionBound`.
  case bound([DatabaseValue])

  /// For each probe the values that it has found; nil when there were too many: see `RegionProbe`.
  case linked([[DatabaseValue]?])
}

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

    var sight = RegionSight.nothing

    var region: DatabaseRegion { plan.region(arguments, sight) }

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

  /// Adds what an execution has found in the state that it reads.
  mutating func setSight(_ sight: RegionSight, of plan: RegionPlan, _ arguments: [DatabaseValue]?) {
    let step = Step(plan: plan, arguments: plan.dependsOnArguments ? arguments : nil)
    // Of those that follow the first ones, the region is kept as it was.
    guard let index = steps.firstIndex(where: { $0.isSameExecution(as: step) }) else { return }
    steps[index].sight = sight
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
        if steps[index].sight != step.sight { steps[index].sight = .nothing }
      } else {
        add(step)
      }
    }
  }
}
