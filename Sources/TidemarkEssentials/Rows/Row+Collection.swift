// A row is a collection of columns: `for (name, value) in row`.

extension Row: RandomAccessCollection {
  /// A position in a row.
  public struct Index: Sendable, Comparable, Strideable {
    let index: Int

    /// Whether a position is before another.
    public static func < (lhs: Index, rhs: Index) -> Bool { lhs.index < rhs.index }

    /// The number of columns from here to another position.
    public func distance(to other: Index) -> Int { other.index - index }

    /// The position some columns further.
    public func advanced(by count: Int) -> Index { Index(index: index + count) }
  }

  /// The first column.
  public var startIndex: Index { Index(index: 0) }

  /// The position after the last column.
  public var endIndex: Index { Index(index: count) }

  /// The name and the value of a column.
  public subscript(position: Index) -> (String, DatabaseValue) {
    preconditionIndex(position.index)
    return (columnNames[position.index], databaseValue(at: position.index))
  }
}
