/// The rows that were fetched along with a row by other queries: a tree.
///
/// The keys of joined tables lead from node to node, as they lead from scope to scope. A row in a scope has the part of
/// the tree that belongs to the scope.
struct PrefetchedRows: Equatable {
  struct Node: Equatable {
    /// The rows, or nil if only descendants have rows.
    var rows: [Row]?

    var descendants = PrefetchedRows()
  }

  // Not created by a literal, which would cost a function call for each row.
  private(set) var nodes: [String: Node] = Dictionary()

  init() {}

  var isEmpty: Bool { nodes.isEmpty }

  /// Sets the rows at the end of a path of keys.
  mutating func set(_ rows: [Row], at path: ArraySlice<String>) {
    guard let key = path.first else { return }
    if path.count == 1 {
      nodes[key, default: Node()].rows = rows
    } else {
      nodes[key, default: Node()].descendants.set(rows, at: path.dropFirst())
    }
  }

  /// The rows of the nearest node with the given key, or nil if there are none.
  subscript(key: String) -> [Row]? {
    if nodes.isEmpty { return nil }
    if let rows = nodes[key]?.rows { return rows }
    if nodes.values.allSatisfy(\.descendants.isEmpty) { return nil }
    var level = nodes.values.map(\.descendants)
    while !level.isEmpty {
      for tree in level {
        if let rows = tree.nodes[key]?.rows { return rows }
      }
      level = level.flatMap { $0.nodes.values.map(\.descendants) }
    }
    return nil
  }

  /// The keys of all nodes that have rows.
  var keys: Set<String> {
    var keys: Set<String> = []
    for (key, node) in nodes {
      if node.rows != nil { keys.insert(key) }
      keys.formUnion(node.descendants.keys)
    }
    return keys
  }
}
