import Synchronization

/// The region plans in use, without duplicates: connections that execute the same SQL share one, so that regions are
/// compared by identity.
final class RegionPlans: Sendable {
  /// The plans of the process. A plan depends on nothing but its contents.
  static let shared = RegionPlans()

  // Weak references, although they cost a twentieth of a fetch: with strong references from a global table,
  // the leak sanitizer, which does not find references in the unused bits of enumerations, would
  // report leaks.
  private struct Entry {
    weak var plan: RegionPlan?
  }

  private struct State {
    var entries: [String: Entry] = [:]

    /// The number of entries at which released plans are removed.
    var countMax = 256
  }

  private let state = Mutex(State())

  /// Returns the last plan for an SQL text, if it is in use.
  func plan(of sql: String) -> RegionPlan? { state.withLock { $0.entries[sql]?.plan } }

  /// Returns an existing plan that is equal to a new one for the same SQL, if there is one.
  func shared(_ plan: RegionPlan, of sql: String) -> RegionPlan {
    let (shared, _) = state.withLock { state -> (RegionPlan, RegionPlan?) in
      // Objects are released after the lock.
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
