/// The rows of a query, one after the other.
///
/// ```swift
/// let rows = try db.prepareRowIterator(users)
/// while let user = try rows.failableNext() {
///   print(user[email])
/// }
/// ```
///
/// After the last row it begins anew. An iterator that is let go of before holds the table no longer.
public struct RowIterator: FailableIterator, Sendable {
  /// A row.
  public typealias Element = Row

  let statement: Statement

  /// What the rows are of; nil when the statement is not a typed query.
  let clauses: QueryClauses?

  /// The next row, or nil at the end.
  public func failableNext() throws -> Row? { try statement.nextRow(of: clauses) }

  /// What a closure makes of each row.
  public func map<T>(_ transform: (Row) throws -> T) throws -> [T] {
    var elements: [T] = []
    while let row = try failableNext() { elements.append(try transform(row)) }
    return elements
  }

  /// What a closure makes of each row, without what is nil.
  public func compactMap<T>(_ transform: (Row) throws -> T?) throws -> [T] {
    var elements: [T] = []
    while let row = try failableNext() {
      if let element = try transform(row) { elements.append(element) }
    }
    return elements
  }
}
