extension FetchRequest where RowDecoder: FetchableRecord & Equatable & Sendable {
  /// Returns an asynchronous sequence of the changes of the result. A closure identifies its elements.
  ///
  /// ```swift
  /// var players: [Player] = []
  /// let ranking = Player.order(Column("score").desc)
  /// for try await difference in ranking.differences(in: dbPool, by: { $0.id }) {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// The first difference is between the empty list and the result, and is produced even if the result is empty. Each
  /// later difference is between the last result that the loop has received and the newest result: a slow loop receives
  /// a single difference for several commits. Each result is the state after a commit.
  ///
  /// For some requests, only the rows changed by a commit are fetched, even if the result is large. These requests read
  /// a single table without functions, `LIMIT`, aggregates or subqueries, and are ordered by columns. All other results
  /// are fetched completely and compared, like `differences()` of the values of an observation. In both cases the order
  /// is the order of `fetchAll`, also among rows with equal sort keys.
  ///
  /// - Parameter reader: The database.
  /// - Parameter retriesPassingErrors: Whether a fetch is retried after a transient error, instead of ending the
  ///   sequence: see `ValueObservation.retryingTransientErrors`.
  /// - Parameter id: Returns the identity of an element.
  /// - Returns: An asynchronous sequence of differences.
  @inlinable
  public func differences<ID: Hashable & Sendable>(
    in reader: some DatabaseReader, retriesPassingErrors: Bool = false,
    by id: @escaping @Sendable (RowDecoder) -> ID
  ) -> AsyncKeyedDifferences<RowDecoder> {
    let functions = IncrementalFetcher<RowDecoder, ID>.Functions(
      fetch: { try $0.array(WholeRowDecoding<RowDecoder>.self, &$1) },
      difference: { $1.keyedDifference(from: $0, by: id) }, id: id)
    return AsyncKeyedDifferences(self, functions, retriesPassingErrors: retriesPassingErrors, in: reader)
  }
}

extension FetchRequest where RowDecoder: FetchableRecord & Equatable & Identifiable & Sendable {
  /// Returns an asynchronous sequence of the changes of the result, whose elements are identifiable.
  ///
  /// ```swift
  /// var players: [Player] = []
  /// for try await difference in Player.order(Column("score").desc).differences(in: dbPool) {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// - Parameter reader: The database.
  /// - Parameter retriesPassingErrors: Whether a fetch is retried after a transient error, instead of ending the
  ///   sequence: see `ValueObservation.retryingTransientErrors`.
  /// - Returns: An asynchronous sequence of differences.
  @inlinable
  public func differences(
    in reader: some DatabaseReader, retriesPassingErrors: Bool = false
  ) -> AsyncKeyedDifferences<RowDecoder> where RowDecoder.ID: Sendable {
    differences(in: reader, retriesPassingErrors: retriesPassingErrors) { $0.id }
  }
}
