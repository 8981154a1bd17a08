/// Which transactions must come before which others.
///
/// The nodes are transactions and, after them, auxiliary nodes: paths through these stand for edges between many
/// transactions, so that the number of edges remains proportional to the number of operations.
struct DependencyGraph {
  enum Kind: UInt8 {
    case overwritten, seen, missed, session, time

    /// From an auxiliary node. It continues the edge that leads to that node.
    case onward
  }

  let transactionCount: Int
  private(set) var nodeCount: Int
  private var sources: [Int32] = []
  private var targets: [Int32] = []
  private var kinds: [Kind] = []

  init(transactionCount: Int) {
    self.transactionCount = transactionCount
    nodeCount = transactionCount
  }

  mutating func addNode() -> Int {
    nodeCount += 1
    return nodeCount - 1
  }

  mutating func addEdge(_ source: Int, _ target: Int, _ kind: Kind) {
    if source == target { return }
    sources.append(Int32(source))
    targets.append(Int32(target))
    kinds.append(kind)
  }

  var edgeCount: Int { sources.count }

  /// The edges in the order of their sources.
  func sorted() -> SortedGraph {
    var starts = [Int32](repeating: 0, count: nodeCount + 1)
    for source in sources { starts[Int(source) + 1] += 1 }
    for node in 0..<nodeCount { starts[node + 1] += starts[node] }
    var next = starts
    var sortedTargets = [Int32](repeating: 0, count: targets.count)
    var sortedKinds = [Kind](repeating: .onward, count: kinds.count)
    for edge in sources.indices {
      let place = Int(next[Int(sources[edge])])
      next[Int(sources[edge])] += 1
      sortedTargets[place] = targets[edge]
      sortedKinds[place] = kinds[edge]
    }
    return SortedGraph(
      transactionCount: transactionCount, starts: starts, targets: sortedTargets, kinds: sortedKinds)
  }
}

/// A graph whose edges are stored in the order of their sources.
struct SortedGraph {
  let transactionCount: Int

  /// For each node the position of its first edge, and at last the number of all edges.
  let starts: [Int32]
  let targets: [Int32]
  let kinds: [DependencyGraph.Kind]

  var nodeCount: Int { starts.count - 1 }

  func edges(of node: Int) -> Range<Int> { Int(starts[node])..<Int(starts[node + 1]) }

  /// The groups of two or more nodes that reach each other by edges of some kinds.
  ///
  /// It takes a time that is proportional to the numbers of nodes and edges: Tarjan's algorithm, without recursion.
  ///
  /// - Parameter nodes: The nodes to look at; their edges to other nodes are ignored. All nodes if it is nil.
  func groups(of nodes: [Int]? = nil, by isAllowed: (DependencyGraph.Kind) -> Bool) -> [[Int]] {
    var isMember = [Bool](repeating: nodes == nil, count: nodeCount)
    for node in nodes ?? [] { isMember[node] = true }
    var groups: [[Int]] = []
    // The number of each node in the order of discovery, and the smallest number that it reaches; 0: not discovered.
    var numbers = [Int32](repeating: 0, count: nodeCount)
    var lowest = [Int32](repeating: 0, count: nodeCount)
    var isOnStack = [Bool](repeating: false, count: nodeCount)
    var stack: [Int32] = []
    var path: [(node: Int32, edge: Int32)] = []
    var count: Int32 = 0
    func discover(_ node: Int) {
      count += 1
      numbers[node] = count
      lowest[node] = count
      isOnStack[node] = true
      stack.append(Int32(node))
      path.append((Int32(node), starts[node]))
    }
    for root in 0..<nodeCount where isMember[root] && numbers[root] == 0 {
      discover(root)
      while let (node, edge) = path.last {
        let node = Int(node)
        if edge < starts[node + 1] {
          path[path.count - 1].edge += 1
          let target = Int(targets[Int(edge)])
          guard isMember[target], isAllowed(kinds[Int(edge)]) else { continue }
          if numbers[target] == 0 {
            discover(target)
          } else if isOnStack[target] {
            lowest[node] = min(lowest[node], numbers[target])
          }
          continue
        }
        path.removeLast()
        if let parent = path.last { lowest[Int(parent.node)] = min(lowest[Int(parent.node)], lowest[node]) }
        guard lowest[node] == numbers[node] else { continue }
        var group: [Int] = []
        repeat {
          group.append(Int(stack.removeLast()))
          isOnStack[group[group.count - 1]] = false
        } while group[group.count - 1] != node
        if group.count > 1 { groups.append(group) }
      }
    }
    return groups
  }

  /// The shortest path between two nodes, by edges of some kinds.
  ///
  /// - Returns: The positions of its edges; nil if there is none.
  func path(
    from source: Int, to target: Int, inside isMember: Set<Int>, by isAllowed: (DependencyGraph.Kind) -> Bool
  ) -> [Int]? {
    var reachedBy: [Int: (edge: Int, from: Int)] = [:]
    var queue = [source]
    var first = 0
    while first < queue.count {
      let node = queue[first]
      first += 1
      for edge in edges(of: node) where isAllowed(kinds[edge]) {
        let next = Int(targets[edge])
        guard isMember.contains(next), reachedBy[next] == nil else { continue }
        reachedBy[next] = (edge, node)
        guard next == target else {
          queue.append(next)
          continue
        }
        var path: [Int] = []
        var end = target
        repeat {
          guard let (edge, from) = reachedBy[end] else { return nil }
          path.append(edge)
          end = from
        } while end != source
        return path.reversed()
      }
    }
    return nil
  }
}
