// Arrays, all collections that grow, and sets, from the elements of cursors.
//
// Mind a cursor of rows, which shows all its rows through one `Row`: use `fetchAll` and `fetchSet`, or copy its rows.

extension RangeReplaceableCollection {
  /// A collection of the elements of a cursor.
  ///
  /// ```swift
  /// let titles = try Array(String.fetchCursor(db, sql: "SELECT title FROM book"))
  /// ```
  @inlinable
  public init(_ cursor: some Cursor<Element>) throws {
    self.init()
    try append(contentsOf: cursor)
  }

  /// A collection of the elements of a cursor, with room for many of them from the start.
  @inlinable
  public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
    self.init()
    reserveCapacity(minimumCapacity)
    try append(contentsOf: cursor)
  }

  /// Adds the elements of a cursor.
  ///
  /// When the cursor fails, the elements before the error were added.
  @inlinable
  public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
    try newElements.forEach { append($0) }
  }
}

extension Set {
  /// A set of the elements of a cursor.
  @inlinable
  public init(_ cursor: some Cursor<Element>) throws {
    self.init()
    try formUnion(cursor)
  }

  /// A set of the elements of a cursor, with room for many of them from the start.
  @inlinable
  public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
    self.init(minimumCapacity: minimumCapacity)
    try formUnion(cursor)
  }

  /// This set, and the elements of a cursor.
  @inlinable
  public func union(_ other: some Cursor<Element>) throws -> Set<Element> {
    var result = self
    try result.formUnion(other)
    return result
  }

  /// Adds the elements of a cursor.
  ///
  /// When the cursor fails, the elements before the error were added.
  @inlinable
  public mutating func formUnion(_ other: some Cursor<Element>) throws {
    try other.forEach { insert($0) }
  }

  /// The members that a cursor shows too.
  @inlinable
  public func intersection(_ other: some Cursor<Element>) throws -> Set<Element> {
    // As in the standard library, the members of the result are those of this set, not their equals.
    try other.reduce(into: []) { result, element in
      if let index = firstIndex(of: element) { result.insert(self[index]) }
    }
  }

  /// Removes all members that a cursor does not show.
  ///
  /// When the cursor fails, nothing is removed.
  @inlinable
  public mutating func formIntersection(_ other: some Cursor<Element>) throws {
    self = try intersection(other)
  }
}
