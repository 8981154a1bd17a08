import Tidemark

/// An asynchronous sequence of the rows of a query, with a new element whenever a commit may have changed them.
///
/// ```swift
/// for await rows in db.observe(users.filter(verified)) {
///   print(rows.map { $0[email] })
/// }
/// ```
///
/// The first element contains the current rows. A slow loop skips intermediate results, but always receives the latest
/// one. The sequence ends when the task is cancelled, or when the rows cannot be fetched.
public struct ObservedRows: AsyncSequence, Sendable {
  /// The rows of the query.
  public typealias Element = [Row]

  /// The sequence does not throw: see ``Connection/observe(_:onError:)``.
  public typealias Failure = Never

  let values: AsyncValueObservation<[Row]>
  let onError: @Sendable (any Error) -> Void

  /// Starts the observation, and returns an iterator over its results.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator(), onError: onError) }

  /// An iterator over the results of an observation.
  public struct Iterator: AsyncIteratorProtocol {
    var values: AsyncValueObservation<[Row]>.AsyncIterator
    let onError: @Sendable (any Error) -> Void

    /// Waits for the next rows, and returns them; nil at the end.
    ///
    /// ```swift
    /// var results = db.observe(users).makeAsyncIterator()
    /// let rows = await results.next()
    /// ```
    ///
    /// - Returns: The rows; nil if the task was cancelled, or if the rows cannot be fetched.
    public mutating func next() async -> [Row]? {
      do {
        return try await values.next()
      } catch {
        onError(error)
        return nil
      }
    }
  }
}

extension Connection {
  /// Observes the rows of a query, on every connection of the underlying database.
  ///
  /// ```swift
  /// for await rows in db.observe(users.filter(verified)) {
  ///   print(rows.map { $0[email] })
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - onError: Receives the error that ends the observation, because the query cannot be run. SQLite's errors are
  ///     ``Result`` values. Without this closure, the error is reported to `Database.logError`.
  /// - Returns: The current rows, and then the rows after each commit that may have changed them.
  public func observe(
    _ query: any QueryType, onError: (@Sendable (any Error) -> Void)? = nil
  ) -> ObservedRows {
    let table = ScalarQuery<Void>(query.clauses)
    let observation = ValueObservation.tracking { db in try db.prepare(table) }
    let report = onError ?? { Database.report($0, "The observation of a query failed") }
    let usesExtendedCodes = usesExtendedErrorCodes
    return ObservedRows(
      values: observation.values(in: writer),
      onError: { error in
        report(
          (error as? DatabaseError).map { Result($0, usesExtendedCodes: usesExtendedCodes, statement: nil) } ?? error)
      })
  }
}
