/// The names of the columns of a result, and their indexes.
///
/// Lookups ignore case, and find the leftmost column. The table is built once
/// per statement. A lookup first tries the column that a reader most likely wants next, which costs one
/// comparison, and then uses the dictionary.
@usableFromInline
final class ColumnNames: Sendable {
  @usableFromInline let names: [String]

  /// For each column, the leftmost one with the same name.
  @usableFromInline let leftmost: [Int]

  private let indexes: [String: Int]

  init(_ names: [String]) {
    self.names = names
    var indexes: [String: Int] = Dictionary(minimumCapacity: names.count)
    var leftmost: [Int] = []
    leftmost.reserveCapacity(names.count)
    for (index, name) in names.enumerated() {
      let key = name.lowercased()
      if let first = indexes[key] {
        leftmost.append(first)
      } else {
        indexes[key] = index
        leftmost.append(index)
      }
    }
    self.indexes = indexes
    self.leftmost = leftmost
  }

  static let none = ColumnNames([])

  @inlinable
  var count: Int { names.count }

  /// The leftmost column with a name.
  ///
  /// - Parameter hint: The column to try first.
  @inlinable
  func index(of name: String, hint: Int) -> Int? {
    if hint < names.count, names[hint] == name { return leftmost[hint] }
    return index(of: name)
  }

  /// The leftmost column with a name.
  @usableFromInline
  func index(of name: String) -> Int? {
    // A linear search in few columns is faster than hashing.
    if names.count <= 8, let index = names.firstIndex(of: name) { return leftmost[index] }
    return indexes[name] ?? indexes[name.lowercased()]
  }
}
