/// Finds a cycle in each group of transactions that must come before each other, of the simplest kind that is there.
struct CycleSearch {
  private let graph: SortedGraph

  /// How many starts are tried for a cycle of one kind: a group may contain most of a history.
  private static let limit = 200

  /// How many groups are searched.
  private static let groupLimit = 20

  private typealias Kinds = Set<DependencyGraph.Kind>

  init(_ graph: SortedGraph) {
    self.graph = graph
  }

  func cycles() -> [Anomaly.Cycle] {
    graph.groups { _ in true }.prefix(Self.groupLimit).map(simplestCycle)
  }

  private func simplestCycle(of group: [Int]) -> Anomaly.Cycle {
    for order: Kinds in [[.onward], [.onward, .session], [.onward, .session, .time]] {
      if let cycle = cycle(.writes, in: group, by: order.union([.overwritten]))
        ?? cycle(.information, in: group, by: order.union([.overwritten, .seen]))
        ?? cycleWithOneMissedWrite(in: group, by: order.union([.overwritten, .seen]))
        ?? cycle(.missedWrites, in: group, by: order.union([.overwritten, .seen, .missed]))
      {
        return cycle
      }
    }
    preconditionFailure("a group of nodes that reach each other contains a cycle")
  }

  /// The shortest of some cycles.
  private func cycle(_ kind: Anomaly.Cycle.Kind, in group: [Int], by kinds: Kinds) -> Anomaly.Cycle? {
    guard let part = graph.groups(of: group, by: kinds.contains).first else { return nil }
    let members = Set(part)
    let starts = part.lazy.filter { $0 < graph.transactionCount }.prefix(Self.limit)
    let paths = starts.compactMap { graph.path(from: $0, to: $0, inside: members, by: kinds.contains) }
    return paths.min { $0.count < $1.count }.map { cycle(kind, $0) }
  }

  private func cycleWithOneMissedWrite(in group: [Int], by kinds: Kinds) -> Anomaly.Cycle? {
    let members = Set(group)
    var tries = 0
    for node in group where node < graph.transactionCount {
      for edge in graph.edges(of: node) where graph.kinds[edge] == .missed {
        let next = Int(graph.targets[edge])
        guard members.contains(next) else { continue }
        tries += 1
        if tries > Self.limit { return nil }
        guard let rest = graph.path(from: next, to: node, inside: members, by: kinds.contains) else { continue }
        return cycle(.singleMissedWrite, [edge] + rest)
      }
    }
    return nil
  }

  /// The transactions on a path that begins and ends with the same transaction.
  private func cycle(_ kind: Anomaly.Cycle.Kind, _ path: [Int]) -> Anomaly.Cycle {
    var cycle = Anomaly.Cycle(kind: kind, transactions: [], steps: [])
    var node = Int(graph.targets[path[path.count - 1]])
    for edge in path {
      if let step = Anomaly.Cycle.Step(graph.kinds[edge]) {
        cycle.transactions.append(node)
        cycle.steps.append(step)
      }
      node = Int(graph.targets[edge])
    }
    return cycle
  }
}

extension Anomaly.Cycle.Step {
  /// - Returns: Nil for the edges of auxiliary nodes, which continue another edge.
  init?(_ kind: DependencyGraph.Kind) {
    switch kind {
    case .overwritten: self = .overwritten
    case .seen: self = .seen
    case .missed: self = .missed
    case .session: self = .session
    case .time: self = .time
    case .onward: return nil
    }
  }
}
