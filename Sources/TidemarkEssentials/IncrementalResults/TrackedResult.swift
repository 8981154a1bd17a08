/// The current result of a started `DifferenceObservation`, and the changes that each consumer has not received.
///
/// The thread that fetches replaces or updates the result. Each consumer takes its differences on its own thread.
///
/// Invariants:
/// 1. A difference leads from the result that the consumer has seen to the current one.
/// 2. The first difference of a consumer begins with an empty list.
@usableFromInline
final class TrackedResult<Element: Equatable & Sendable>: Sendable {
  /// How the elements are identified and compared.
  @usableFromInline
  struct Comparison: Sendable {
    let id: @Sendable (Element) -> AnyHashable

    /// Compares two lists. It is specialized for the type of the elements: see `ListComparison`.
    let difference: @Sendable ([Element], [Element]) -> KeyedDifference<Element>

    @usableFromInline
    init(
      id: @escaping @Sendable (Element) -> AnyHashable,
      difference: @escaping @Sendable ([Element], [Element]) -> KeyedDifference<Element>
    ) {
      (self.id, self.difference) = (id, difference)
    }
  }

  private let comparison: Comparison
  private let state = Mutex(IncrementalResult<Element>())

  init(_ comparison: Comparison) {
    self.comparison = comparison
  }

  /// Replaces the result.
  ///
  /// - Parameter keys: The keys of the rows; nil if the result is not updated row by row.
  func replace(_ elements: [Element], _ keys: OrderedKeys? = nil) {
    _ = state.withLock { $0.replace(elements, keys) }
  }

  /// Updates changed rows. The result must have keys.
  ///
  /// - Returns: Whether there may be a difference.
  func update(_ changes: [IncrementalResult<Element>.Change]) -> Bool {
    state.withLock { state in
      let replaced = state.update(changes)
      return (hasChanges: state.hasChanges, replaced)
    }.hasChanges
  }

  // MARK: Consumers

  fileprivate func addConsumer() -> Int { state.withLock { $0.addConsumer() } }

  fileprivate func removeConsumer(_ number: Int) {
    _ = state.withLock { $0.removeConsumer(number) }
  }

  /// Returns the changes since the last call for the same consumer; nil if there are none.
  fileprivate func takeDifference(for consumer: Int) -> KeyedDifference<Element>? {
    let changes = state.withLock { state in
      // The old state is released outside of the lock.
      let old = state
      return (state.takeChanges(for: consumer, by: comparison.id), old)
    }.0
    switch changes {
    case nil: return nil
    case .first(let elements): return comparison.difference([], elements)
    case .rows(let difference): return difference.isEmpty ? nil : difference
    case .all(let old, let new):
      let difference = comparison.difference(old, new)
      return difference.isEmpty ? nil : difference
    }
  }
}

/// A loop or closure that receives the differences of one result, one at a time.
final class DifferenceConsumer<Element: Equatable & Sendable>: Sendable {
  private typealias Registration = (result: TrackedResult<Element>, number: Int)

  private let registration = Mutex<Registration?>(nil)

  /// Returns the changes since the last call; nil if there are none. All calls must pass the same result.
  func takeDifference(from result: TrackedResult<Element>) -> KeyedDifference<Element>? {
    result.takeDifference(for: number(in: result))
  }

  private func number(in result: TrackedResult<Element>) -> Int {
    if let number = registration.withLock({ $0?.number }) { return number }
    let number = result.addConsumer()
    registration.withLock { $0 = (result, number) }
    return number
  }

  deinit {
    if let (result, number) = registration.withLock({ $0 }) { result.removeConsumer(number) }
  }
}
