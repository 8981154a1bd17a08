/// The differences between the values of an observation, as a sequence that one iterates with `for await`.
///
/// ```swift
/// var players: [Player] = []
/// for try await difference in observation.values(in: dbPool).differences() {
///   players.apply(difference)
/// }
/// ```
///
/// The first one leads from the empty list to the first value, and comes even when that is empty, too. Each of the
/// others leads from what the loop has seen before to the newest value: a loop that is slow misses values, and finds
/// one difference in place of several. A value that equals the one before does not come at all.
public struct AsyncKeyedDifferences<Item: Equatable & Sendable>: AsyncSequence, Sendable {
  /// A difference.
  public typealias Element = KeyedDifference<Item>

  /// The iterator.
  public typealias AsyncIterator = Iterator

  /// Makes an iterator of its own for each iteration.
  private let start: @Sendable () -> Iterator

  @usableFromInline
  init(
    _ base: AsyncValueObservation<[Item]>,
    _ difference: @escaping @Sendable ([Item], [Item]) -> KeyedDifference<Item>
  ) {
    start = { Iterator(steps: .values(base.makeAsyncIterator(), difference, seen: nil)) }
  }

  /// The differences of a request, in a database.
  @usableFromInline
  init<ID: Hashable & Sendable>(
    _ request: any FetchRequest, _ functions: IncrementalFetcher<Item, ID>.Functions, retriesPassingErrors: Bool,
    in reader: some DatabaseReader
  ) {
    start = { [core = reader._core] in
      let rows = IncrementalFetcher(request, functions)
      let source = LiveSource<Bool>(incrementallyTracking: PlanRegion(request: request)) { try rows.fetch($0, $1) }
      var observation = ValueObservation(source: source, reducer: ChangeSignalReducer())
      if retriesPassingErrors { observation = observation.retryingTransientErrors() }
      let changes = observation.values(in: core, bufferingPolicy: .bufferingNewest(1))
      return Iterator(steps: .rows(changes.makeAsyncIterator(), take: { rows.takeDifference() }))
    }
  }

  /// Starts the observation.
  public func makeAsyncIterator() -> Iterator { start() }

  /// Takes one difference after the other.
  public struct Iterator: AsyncIteratorProtocol {
    /// Where differences come from.
    enum Steps {
      /// Values are compared with the last one that the loop has seen, nil before the first one.
      case values(
        AsyncValueObservation<[Item]>.Iterator, @Sendable ([Item], [Item]) -> KeyedDifference<Item>, seen: [Item]?)

      /// A result is kept up with, and is asked when it has news.
      case rows(AsyncValueObservation<Void>.Iterator, take: @Sendable () -> KeyedDifference<Item>?)
    }

    var steps: Steps

    /// The next difference: nil when the task was cancelled.
    public mutating func next() async throws -> KeyedDifference<Item>? {
      switch steps {
      case .values(var base, let makeDifference, var seen):
        defer { steps = .values(base, makeDifference, seen: seen) }
        while let value = try await base.next() {
          let difference = makeDifference(seen ?? [], value)
          let isFirst = seen == nil
          seen = value
          if isFirst || !difference.isEmpty { return difference }
        }
      case .rows(var changes, let take):
        defer { steps = .rows(changes, take: take) }
        while try await changes.next() != nil {
          if let difference = take() { return difference }
        }
      }
      return nil
    }
  }
}

/// Delivers that there are news.
private struct ChangeSignalReducer: ValueReducer {
  mutating func _value(_ hasChanges: Bool) -> Void? { hasChanges ? () : nil }
}

extension AsyncValueObservation {
  /// The differences between the values, by the identities of their elements.
  ///
  /// ```swift
  /// let names = ValueObservation.tracking { db in
  ///   try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
  /// }
  /// for try await difference in names.values(in: dbPool).differences(by: { $0 }) {
  ///   print("have come:", difference.insertions.map(\.element))
  /// }
  /// ```
  ///
  /// - parameter id: Who an element is.
  @inlinable
  public func differences<Item: Equatable & Sendable, ID: Hashable & Sendable>(
    by id: @escaping @Sendable (Item) -> ID
  ) -> AsyncKeyedDifferences<Item> where Element == [Item] {
    AsyncKeyedDifferences(self) { $1.keyedDifference(from: $0, by: id) }
  }

  /// The differences between the values, by the identities of their elements.
  ///
  /// ```swift
  /// for try await difference in observation.values(in: dbPool).differences() {
  ///   players.apply(difference)
  /// }
  /// ```
  @inlinable
  public func differences<Item: Equatable & Identifiable & Sendable>() -> AsyncKeyedDifferences<Item>
  where Element == [Item], Item.ID: Sendable {
    AsyncKeyedDifferences(self) { $1.keyedDifference(from: $0) }
  }
}
