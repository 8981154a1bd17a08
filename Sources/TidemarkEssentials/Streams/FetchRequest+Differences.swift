extension FetchRequest where RowDecoder: FetchableRecord & Equatable & Sendable {
  /// What changes in the result, as long as one iterates.
  ///
  /// ```swift
  /// var players: [Player] = []
  /// let ranking = Player.order(Column("score").desc)
  /// for try await difference in ranking.differences(in: dbPool, by: { $0.id }) {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// The first difference leads from the empty list to the result, and comes even when that is empty, too. Each of the
  /// others leads from what the loop has seen before to the newest result: a loop that is slow finds one difference in
  /// place of several. Each result is that of one commit.
  ///
  /// Where the rows of the result come one by one from the rows of one table, those alone are fetched that a commit has
  /// changed, however long the result is: where there are no functions, no `LIMIT`, no groups and no subqueries, and
  /// what the rows are ordered by is columns. Other results are fetched as a whole and compared, as `differences()` of
  /// the values of an observation does. The order is that of `fetchAll`, also among rows that the request sorts
  /// equally.
  ///
  /// - parameter reader: The database.
  /// - parameter retriesPassingErrors: Whether a fetch that fails for a passing reason is tried again, in place of
  ///   ending the sequence: see `ValueObservation.retryingTransientErrors`.
  /// - parameter id: Who an element is.
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
  /// What changes in the result, as long as one iterates.
  ///
  /// ```swift
  /// var players: [Player] = []
  /// for try await difference in Player.order(Column("score").desc).differences(in: dbPool) {
  ///   players.apply(difference)
  /// }
  /// ```
  ///
  /// - parameter reader: The database.
  /// - parameter retriesPassingErrors: Whether a fetch that fails for a passing reason is tried again, in place of
  ///   ending the sequence: see `ValueObservation.retryingTransientErrors`.
  @inlinable
  public func differences(
    in reader: some DatabaseReader, retriesPassingErrors: Bool = false
  ) -> AsyncKeyedDifferences<RowDecoder> where RowDecoder.ID: Sendable {
    differences(in: reader, retriesPassingErrors: retriesPassingErrors) { $0.id }
  }
}
