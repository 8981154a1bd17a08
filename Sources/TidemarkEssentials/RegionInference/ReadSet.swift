/// Values in the rows of a snapshot that determine the relevant rows, while the relevant rows do not change.
enum RegionRefinement: Equatable, Sendable {
  case unrefined

  /// The values of the last relevant row: see `RegionBound`.
  case bound([DatabaseValue])

  /// For each probe the values that it has found; nil if there were too many: see `RefinementQuery`.
  case linked([[DatabaseValue]?])
}

/// The reads of a closure: its statements with their arguments.
///
/// Equal selections have the same region. A selection is cheaper to compare and to store than a region, which is
/// computed on demand.
struct ReadSet: Equatable, Sendable {
  /// An execution of a statement.
  private struct Step: Equatable {
    var plan: RegionPlan

    /// Nil if they are irrelevant.
    var arguments: [DatabaseValue]?

    var refinement = RegionRefinement.unrefined

    var region: DatabaseRegion { plan.region(arguments, refinement) }

    func isSameExecution(as other: Step) -> Bool { plan == other.plan && arguments == other.arguments }
  }

  /// The reads of further executions are stored as a region.
  private static let stepsMax = 8

  private var steps = ShortList<Step>()
  private var rest: DatabaseRegion

  /// Creates a selection from a region.
  init(_ region: DatabaseRegion = DatabaseRegion()) {
    rest = region
  }

  /// The region. Computing it takes a while.
  var region: DatabaseRegion {
    steps.reduce(rest) { $0.union($1.region) }
  }

  /// Adds the reads of an execution.
  mutating func add(_ plan: RegionPlan, _ arguments: [DatabaseValue]?) {
    add(Step(plan: plan, arguments: plan.dependsOnArguments ? arguments : nil))
  }

  /// Adds the values that an execution has found in its snapshot.
  mutating func setRefinement(_ refinement: RegionRefinement, of plan: RegionPlan, _ arguments: [DatabaseValue]?) {
    let step = Step(plan: plan, arguments: plan.dependsOnArguments ? arguments : nil)
    // The region of executions after the first ones is not refined.
    guard let index = steps.firstIndex(where: { $0.isSameExecution(as: step) }) else { return }
    steps[index].refinement = refinement
  }

  private mutating func add(_ step: Step) {
    if rest.isFullDatabase { return }
    // The same execution reads the same rows again, because a fetch uses one snapshot.
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

  /// Adds the reads of another selection.
  mutating func add(_ other: ReadSet) {
    add(other.rest)
    for step in other.steps {
      if let index = steps.firstIndex(where: { $0.isSameExecution(as: step) }) {
        // It is not known which one belongs to the relevant snapshot.
        if steps[index].refinement != step.refinement { steps[index].refinement = .unrefined }
      } else {
        add(step)
      }
    }
  }
}
