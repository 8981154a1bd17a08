/// The rows that were fetched along with a row by other queries.
///
/// The keys of joined tables lead from tree to tree, as they lead from scope to scope. A row in a scope has the part of
/// the tree that belongs to the scope.
struct PrefetchedRows {
  /// The rows of all rows of the result, or nil if nothing was prefetched.
  let tree: PrefetchedTree?

  /// The index of the row in its result.
  var index: Int

  init(tree: PrefetchedTree? = nil, index: Int = 0) {
    self.tree = tree
    self.index = index
  }

  var isEmpty: Bool {
    // A key path would be created for each query (benchmark `access: pool.read`).
    guard let tree else { return true }
    return tree.children.isEmpty
  }

  /// The rows of the nearest node with the given key, or nil if there are none.
  subscript(key: String) -> RowList? {
    guard let tree else { return nil }
    return tree.nearest(key)?.list(ofRow: index)
  }

  /// The keys of all nodes that have rows.
  var keys: Set<String> { tree?.keys ?? [] }

  /// The rows prefetched for a scope.
  func descendants(_ scope: String) -> PrefetchedRows {
    PrefetchedRows(tree: tree?.child(scope), index: index)
  }
}

extension PrefetchedRows: Equatable {
  static func == (lhs: PrefetchedRows, rhs: PrefetchedRows) -> Bool {
    if lhs.isEmpty, rhs.isEmpty { return true }
    guard let left = lhs.tree, let right = rhs.tree, left.children.count == right.children.count else { return false }
    return left.children.allSatisfy { key, child in
      guard let other = right.child(key) else { return false }
      return child.list(ofRow: lhs.index)?.copies == other.list(ofRow: rhs.index)?.copies
        && lhs.descendants(key) == rhs.descendants(key)
    }
  }
}

/// The rows that other queries have fetched for all rows of a result.
final class PrefetchedTree {
  /// The rows in groups, or nil if only descendants have rows.
  private(set) var groups: RowGroups?

  /// The trees of joined tables and of associations, by key. There are few, so a linear search is fast.
  private(set) var children: [(key: String, tree: PrefetchedTree)] = []

  /// Sets the rows at the end of a path of keys.
  func set(_ groups: RowGroups, at path: ArraySlice<String>) {
    guard let key = path.first else {
      self.groups = groups
      return
    }
    let child = child(key) ?? PrefetchedTree()
    if self.child(key) == nil { children.append((key, child)) }
    child.set(groups, at: path.dropFirst())
  }

  func child(_ key: String) -> PrefetchedTree? {
    for child in children where child.key == key { return child.tree }
    return nil
  }

  /// Returns the rows for a row of the result, or nil if only descendants have rows.
  func list(ofRow index: Int) -> RowList? { groups?.list(ofRow: index) }

  /// Returns the nearest tree with the given key that has rows.
  func nearest(_ key: String) -> PrefetchedTree? {
    if children.isEmpty { return nil }
    var level = [self]
    while !level.isEmpty {
      for tree in level {
        if let found = tree.child(key), found.groups != nil { return found }
      }
      level = level.flatMap { $0.children.map(\.tree) }
    }
    return nil
  }

  /// The keys of all descendants that have rows.
  var keys: Set<String> {
    var keys: Set<String> = []
    for (key, tree) in children {
      if tree.groups != nil { keys.insert(key) }
      keys.formUnion(tree.keys)
    }
    return keys
  }
}

/// The rows of a result, in groups: one for each row of another result.
struct RowGroups {
  private let rows: StoredRows

  /// The indexes of the rows, group after group.
  private let order: [Int]

  /// The start of each group in `order`, and the end of the last group.
  private let starts: [Int]

  /// For each row of the other result, its group, or nil if its group is empty.
  private let groups: [Int?]

  /// - Parameters:
  ///   - rows: The rows of all groups.
  ///   - groupCount: The number of groups.
  ///   - groupOfRow: For each row, its group. Nil means that the row is in no group.
  ///   - groups: For each row of the other result, its group. Nil means that it has no rows.
  init(_ rows: StoredRows, groupCount: Int, groupOfRow: [Int?], groups: [Int?]) {
    self.rows = rows
    self.groups = groups
    var starts = Array(repeating: 0, count: groupCount + 1)
    for case let group? in groupOfRow { starts[group + 1] += 1 }
    for group in 0..<groupCount { starts[group + 1] += starts[group] }
    var next = starts
    var order = Array(repeating: 0, count: starts[groupCount])
    for (index, group) in groupOfRow.enumerated() {
      guard let group else { continue }
      order[next[group]] = index
      next[group] += 1
    }
    self.starts = starts
    self.order = order
  }

  /// Returns the rows for a row of the other result.
  func list(ofRow index: Int) -> RowList {
    let range = groups[index].map { starts[$0]..<starts[$0 + 1] } ?? 0..<0
    return RowList(rows: rows, indexes: order[range])
  }
}
