// A row is a collection of its columns: `for (name, value) in row`.

extension Row: RandomAccessCollection {
  /// The index of a column.
  public struct Index: Sendable, Comparable, Strideable {
    let index: Int

    /// Returns whether an index is less than another one.
    public static func < (lhs: Index, rhs: Index) -> Bool { lhs.index < rhs.index }

    /// Returns the number of columns between two indexes.
    public func distance(to other: Index) -> Int { other.index - index }

    /// Returns the index at a distance.
    public func advanced(by count: Int) -> Index { Index(index: index + count) }
  }

  /// The index of the first column.
  public var startIndex: Index { Index(index: 0) }

  /// The index after the last column.
  public var endIndex: Index { Index(index: count) }

  /// The name and the value of a column.
  public subscript(position: Index) -> (String, DatabaseValue) {
    preconditionIndex(position.index)
    return (columnNames[position.index], databaseValue(at: position.index))
  }
}
