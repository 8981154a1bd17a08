/// An iterator over the rows of a query.
///
/// ```swift
/// let rows = try db.prepareRowIterator(users)
/// while let user = try rows.failableNext() {
///   print(user[email])
/// }
/// ```
///
/// After the last row, the next call runs the query again. Releasing the iterator before the end finishes the query.
public struct RowIterator: FailableIterator, Sendable {
  /// The type of the elements.
  public typealias Element = Row

  let statement: Statement

  /// The query; nil if the statement is raw SQL.
  let clauses: QueryClauses?

  /// Returns the next row; nil at the end.
  ///
  /// ```swift
  /// let rows = try db.prepareRowIterator(users)
  /// let first = try rows.failableNext()
  /// ```
  ///
  /// - Returns: The row; nil at the end.
  /// - Throws: A ``Result`` if the query fails.
  public func failableNext() throws -> Row? { try statement.nextRow(of: clauses) }

  /// Returns the results of a closure for all remaining rows.
  ///
  /// ```swift
  /// let emails = try db.prepareRowIterator(users).map { $0[email] }
  /// ```
  ///
  /// - Parameter transform: The closure.
  /// - Returns: The results, in the order of the rows.
  /// - Throws: A ``Result`` if the query fails; the error of the closure.
  public func map<T>(_ transform: (Row) throws -> T) throws -> [T] {
    var elements: [T] = []
    while let row = try failableNext() { elements.append(try transform(row)) }
    return elements
  }

  /// Returns the results of a closure for all remaining rows, without nil.
  ///
  /// ```swift
  /// let names = try db.prepareRowIterator(users).compactMap { $0[name] }
  /// ```
  ///
  /// - Parameter transform: The closure.
  /// - Returns: The results that are not nil, in the order of the rows.
  /// - Throws: A ``Result`` if the query fails; the error of the closure.
  public func compactMap<T>(_ transform: (Row) throws -> T?) throws -> [T] {
    var elements: [T] = []
    while let row = try failableNext() {
      if let element = try transform(row) { elements.append(element) }
    }
    return elements
  }
}

extension Statement {
  /// Returns an iterator over the rows of the statement, which decodes columns by expression or by name.
  ///
  /// ```swift
  /// let statement = try db.prepare("SELECT email FROM users WHERE id > ?", 10)
  /// let emails = try statement.prepareRowIterator().map { $0[email] }
  /// ```
  ///
  /// - Returns: The iterator. It continues a run of the statement that has begun.
  public func prepareRowIterator() -> RowIterator { RowIterator(statement: self, clauses: nil) }
}
