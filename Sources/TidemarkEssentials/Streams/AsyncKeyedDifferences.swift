/// An asynchronous sequence of the differences between the values of an observation.
///
/// ```swift
/// var players: [Player] = []
/// for try await difference in observation.values(in: dbPool).differences() {
///   players.apply(difference)
/// }
/// ```
///
/// The first difference is between the empty list and the first value, and is produced even if that value is empty.
/// Each later difference is between the last value that the loop has received and the newest value: a slow loop
/// receives a single difference for several values. Equal consecutive values produce no difference.
public struct AsyncKeyedDifferences<Item: Equatable & Sendable>: AsyncSequence, Sendable {
  /// A difference.
  public typealias Element = KeyedDifference<Item>

  /// The iterator.
  public typealias AsyncIterator = Iterator

  /// Starts a separate observation for each iteration.
  private let start: @Sendable () -> Iterator

  @usableFromInline
  init(
    _ base: AsyncValueObservation<[Item]>,
    _ difference: @escaping @Sendable ([Item], [Item]) -> KeyedDifference<Item>
  ) {
    start = { Iterator(steps: .values(base.makeAsyncIterator(), difference, seen: nil)) }
  }

  /// Creates the sequence of the differences of a request.
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

  /// Starts the observation, and returns its iterator.
  public func makeAsyncIterator() -> Iterator { start() }

  /// The iterator of the differences.
  public struct Iterator: AsyncIteratorProtocol {
    /// The source of differences.
    enum Steps {
      /// Compares each value with the last value that the loop has received, which is nil at first.
      case values(
        AsyncValueObservation<[Item]>.Iterator, @Sendable ([Item], [Item]) -> KeyedDifference<Item>, seen: [Item]?)

      /// Maintains an incremental result, and takes its changes when it is notified of them.
      case rows(AsyncValueObservation<Void>.Iterator, take: @Sendable () -> KeyedDifference<Item>?)
    }

    var steps: Steps

    /// Returns the next difference, or nil if the task is cancelled.
    ///
    /// - Throws: The error that ends the observation.
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

/// Signals that the result has changed.
private struct ChangeSignalReducer: ValueReducer {
  mutating func _value(_ hasChanges: Bool) -> Void? { hasChanges ? () : nil }
}

extension AsyncValueObservation {
  /// Returns a sequence of the differences between the values. A closure identifies their elements.
  ///
  /// ```swift
  /// let names = ValueObservation.tracking { db in
  ///   try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name")
  /// }
  /// for try await difference in names.values(in: dbPool).differences(by: { $0 }) {
  ///   print("inserted:", difference.insertions.map(\.element))
  /// }
  /// ```
  ///
  /// - Parameter id: Returns the identity of an element.
  /// - Returns: An asynchronous sequence of differences.
  @inlinable
  public func differences<Item: Equatable & Sendable, ID: Hashable & Sendable>(
    by id: @escaping @Sendable (Item) -> ID
  ) -> AsyncKeyedDifferences<Item> where Element == [Item] {
    AsyncKeyedDifferences(self) { $1.keyedDifference(from: $0, by: id) }
  }

  /// Returns a sequence of the differences between the values, whose elements are identifiable.
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
