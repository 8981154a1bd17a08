/// How often the shapes occurred, in pairs of a query and a transaction.
struct ShapeDistribution {
  private struct Count {
    var pairs = 0
    var changes = 0
  }

  private var counts: [Shape: Count] = [:]
  private(set) var pairCount = 0
  private(set) var changeCount = 0
  var transactionCount = 0

  /// The number of queries whose results depend on the plan, which are then not observed any more.
  var ambiguousCount = 0

  /// Adds a pair with its shapes.
  mutating func add(_ shapes: Set<Shape>, isChanged: Bool) {
    pairCount += 1
    if isChanged { changeCount += 1 }
    for shape in shapes {
      counts[shape, default: Count()].pairs += 1
      if isChanged { counts[shape, default: Count()].changes += 1 }
    }
  }

  /// The shapes that never occurred, or never in a pair whose result changed.
  func missing(in kind: ShapeDatabase.Kind) -> [Shape] {
    Shape.allCases.filter { counts[$0, default: Count()].changes == 0 && !Shape.missing(in: kind).contains($0) }
  }

  /// A line for each shape: the number of pairs, and how many results changed.
  var table: String {
    Shape.allCases.map { shape in
      let count = counts[shape, default: Count()]
      return "shape \(shape.rawValue): \(count.pairs) pairs, \(count.changes) changed"
    }.joined(separator: "\n")
  }
}
