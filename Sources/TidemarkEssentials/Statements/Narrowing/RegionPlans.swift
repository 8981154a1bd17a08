import Synchronization

/// The plans of regions that are in use, each once: connections that read with the same SQL share one, so that what
/// they have read is compared by a glance.
final class RegionPlans: Sendable {
  /// Those of the process. What a plan says depends on nothing but itself.
  static let shared = RegionPlans()

  // Held, and not weakly: the counts of objects that somebody holds weakly are in another place, and each fetch of a
  // live query changes them several times (a twentieth of a fetch).
  private struct State {
    var plans: [String: RegionPlan] = [:]

    /// How many there may be before those are looked for that nobody else holds.
    var countMax = 256

    /// - returns: Those that nobody else holds.
    mutating func takeUnused() -> [RegionPlan] {
      var (used, unused): ([String: RegionPlan], [RegionPlan]) = ([:], [])
      for sql in Array(plans.keys) {
        guard var plan = plans.removeValue(forKey: sql) else { continue }
        if isKnownUniquelyReferenced(&plan) { unused.append(plan) } else { used[sql] = plan }
      }
      plans = used
      countMax = max(256, 2 * used.count)
      return unused
    }
  }

  private let state = Mutex(State())

  /// A plan that is equal to one that was made for a statement.
  func shared(_ plan: RegionPlan, of sql: String) -> RegionPlan {
    let (shared, _, _) = state.withLock { state -> (RegionPlan, RegionPlan?, [RegionPlan]) in
      // What is let go is let go outside of the lock.
      let known = state.plans[sql]
      if let known, known == plan { return (known, known, []) }
      let unused = state.plans.count >= state.countMax ? state.takeUnused() : []
      state.plans[sql] = plan
      return (plan, known, unused)
    }
    return shared
  }
}
