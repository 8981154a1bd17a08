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

  @usableFromInline let base: AsyncValueObservation<[Item]>
  @usableFromInline let difference: @Sendable ([Item], [Item]) -> KeyedDifference<Item>

  @inlinable
  init<ID: Hashable & Sendable>(_ base: AsyncValueObservation<[Item]>, _ id: @escaping @Sendable (Item) -> ID) {
    self.base = base
    difference = { $1.keyedDifference(from: $0, by: id) }
  }

  /// Starts the observation.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), difference: difference)
  }

  /// Takes one difference after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var base: AsyncValueObservation<[Item]>.Iterator
    let difference: @Sendable ([Item], [Item]) -> KeyedDifference<Item>

    /// What the loop has seen; nil before the first value.
    var seen: [Item]?

    /// The next difference: nil when the task was cancelled.
    public mutating func next() async throws -> KeyedDifference<Item>? {
      while let value = try await base.next() {
        let difference = difference(seen ?? [], value)
        let isFirst = seen == nil
        seen = value
        if isFirst || !difference.isEmpty { return difference }
      }
      return nil
    }
  }
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
    AsyncKeyedDifferences(self, id)
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
    AsyncKeyedDifferences(self) { $0.id }
  }
}
