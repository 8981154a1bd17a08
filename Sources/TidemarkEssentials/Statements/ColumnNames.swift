/// The names of the columns of a result, and where each is found.
///
/// Case does not count when a column is looked up, and the leftmost one wins. The work of it is done
/// once per statement; a look-up tries the column that a reader most often wants next, which costs one
/// comparison, before it asks the dictionary.
@usableFromInline
final class ColumnNames: Sendable {
  @usableFromInline let names: [String]

  /// For each column, the leftmost one of that name.
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

  /// The leftmost column of that name.
  ///
  /// - parameter hint: The column to try first.
  @inlinable
  func index(of name: String, hint: Int) -> Int? {
    if hint < names.count, names[hint] == name { return leftmost[hint] }
    return index(of: name)
  }

  /// The leftmost column of that name.
  @usableFromInline
  func index(of name: String) -> Int? {
    // Few columns are found sooner by looking at each than by hashing.
    if names.count <= 8, let index = names.firstIndex(of: name) { return leftmost[index] }
    return indexes[name] ?? indexes[name.lowercased()]
  }
}
