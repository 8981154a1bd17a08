import Tidemark

/// The rows of a query, each time that they may have changed.
///
/// ```swift
/// for await rows in db.observe(users.filter(verified)) {
///   print(rows.map { $0[email] })
/// }
/// ```
///
/// It begins with the rows of now. Who is slow misses rows in between, and never the last ones. It ends when the task
/// is cancelled, or when the rows cannot be fetched.
public struct ObservedRows: AsyncSequence, Sendable {
  /// The rows.
  public typealias Element = [Row]

  /// None: see `Connection.observe(_:onError:)`.
  public typealias Failure = Never

  let values: AsyncValueObservation<[Row]>
  let onError: @Sendable (any Error) -> Void

  /// Starts the observation.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator(), onError: onError) }

  /// Takes one value after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var values: AsyncValueObservation<[Row]>.AsyncIterator
    let onError: @Sendable (any Error) -> Void

    /// The next rows; nil at the end.
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
  /// The rows of a query, each time that a commit may have changed them, on whatever connection of the database below.
  ///
  /// ```swift
  /// for await rows in db.observe(users.filter(verified)) {
  ///   print(rows.map { $0[email] })
  /// }
  /// ```
  ///
  /// - parameter query: The query.
  /// - parameter onError: Called with the error that ends the observation: the query cannot be run, any more or at all.
  ///   It is a `Result`, as all errors of SQLite. Without this closure, it is reported to `Database.logError`.
  /// - returns: The rows, each time that they may have changed.
  public func observe(
    _ query: any QueryType, onError: (@Sendable (any Error) -> Void)? = nil
  ) -> ObservedRows {
    let table = ScalarQuery<Void>(query.clauses)
    let observation = ValueObservation.tracking { db in try db.prepare(table) }
    let report = onError ?? { Database.report($0, "An observation of a query has ended") }
    let usesExtendedCodes = usesExtendedErrorCodes
    return ObservedRows(
      values: observation.values(in: writer),
      onError: { error in
        report(
          (error as? DatabaseError).map { Result($0, usesExtendedCodes: usesExtendedCodes, statement: nil) } ?? error)
      })
  }
}
