// Creating arrays, other growing collections, and sets from cursors.
//
// A cursor of rows reuses a single `Row`: use `fetchAll` or `fetchSet`, or copy its rows.

extension RangeReplaceableCollection {
  /// Creates a collection of the elements of a cursor.
  ///
  /// ```swift
  /// let titles = try Array(String.fetchCursor(db, sql: "SELECT title FROM book"))
  /// ```
  @inlinable
  public init(_ cursor: some Cursor<Element>) throws {
    self.init()
    try append(contentsOf: cursor)
  }

  /// Creates a collection of the elements of a cursor, and reserves capacity first.
  ///
  /// ```swift
  /// let ids = try Array(Int64.fetchCursor(db, sql: "SELECT id FROM book"), minimumCapacity: 1000)
  /// ```
  @inlinable
  public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
    self.init()
    reserveCapacity(minimumCapacity)
    try append(contentsOf: cursor)
  }

  /// Appends the elements of a cursor. If the cursor throws, the previous elements have been appended.
  ///
  /// ```swift
  /// var titles: [String] = []
  /// try titles.append(contentsOf: String.fetchCursor(db, sql: "SELECT title FROM book"))
  /// ```
  @inlinable
  public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
    try newElements.forEach { append($0) }
  }
}

extension Set {
  /// Creates a set of the elements of a cursor.
  ///
  /// ```swift
  /// let titles = try Set(String.fetchCursor(db, sql: "SELECT title FROM book"))
  /// ```
  @inlinable
  public init(_ cursor: some Cursor<Element>) throws {
    self.init()
    try formUnion(cursor)
  }

  /// Creates a set of the elements of a cursor, and reserves capacity first.
  @inlinable
  public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
    self.init(minimumCapacity: minimumCapacity)
    try formUnion(cursor)
  }

  /// Returns the union of this set and the elements of a cursor.
  @inlinable
  public func union(_ other: some Cursor<Element>) throws -> Set<Element> {
    var result = self
    try result.formUnion(other)
    return result
  }

  /// Inserts the elements of a cursor. If the cursor throws, the previous elements have been inserted.
  @inlinable
  public mutating func formUnion(_ other: some Cursor<Element>) throws {
    try other.forEach { insert($0) }
  }

  /// Returns the intersection of this set and the elements of a cursor.
  @inlinable
  public func intersection(_ other: some Cursor<Element>) throws -> Set<Element> {
    // As in the standard library, the result contains members of this set, and not the equal elements of the cursor.
    try other.reduce(into: []) { result, element in
      if let index = firstIndex(of: element) { result.insert(self[index]) }
    }
  }

  /// Removes the members that are not elements of a cursor. If the cursor throws, the set does not change.
  @inlinable
  public mutating func formIntersection(_ other: some Cursor<Element>) throws {
    self = try intersection(other)
  }
}
