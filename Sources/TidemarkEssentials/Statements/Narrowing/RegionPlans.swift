import Synchronization

/// The plans of regions that are in use, each once: connections that read with the same SQL share one, so that what
/// they have read is compared by a glance.
final class RegionPlans: Sendable {
  /// Those of the process. What a plan says depends on nothing but itself.
  static let shared = RegionPlans()

  // Weakly, though the counts of what is held weakly stand elsewhere, which takes a twentieth of a fetch: what a table
  // of the process holds for good has references in the unused bits of enumerations, where the leak sanitizer, which is
  // to be clean, does not look for them.
  private struct Entry {
    weak var plan: RegionPlan?
  }

  private struct State {
    var entries: [String: Entry] = [:]

    /// How many entries there may be before those are looked for whose plans are gone.
    var countMax = 256
  }

  private let state = Mutex(State())

  /// A plan that is equal to one that was made for a statement.
  func shared(_ plan: RegionPlan, of sql: String) -> RegionPlan {
    let (shared, _) = state.withLock { state -> (RegionPlan, RegionPlan?) in
      // What is let go is let go outside of the lock.
      let known = state.entries[sql]?.plan
      if let known, known == plan { return (known, known) }
      if state.entries.count >= state.countMax {
        state.entries = state.entries.filter { $0.value.plan != nil }
        state.countMax = max(256, 2 * state.entries.count)
      }
      state.entries[sql] = Entry(plan: plan)
      return (plan, known)
    }
    return shared
  }
}
