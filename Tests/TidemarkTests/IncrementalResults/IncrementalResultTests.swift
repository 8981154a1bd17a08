import Testing

@testable import Tidemark
@testable import TidemarkEssentials

private struct Item: Equatable, Sendable {
  var name: Int
  var score: Int
}

/// A result that is updated row by row reports what has changed since a consumer last asked.
@Suite struct IncrementalResultTests {
  private static let order = RowOrder(terms: [RowOrder.Term()])

  /// The contents of a database: rows by their IDs.
  private struct Rows {
    var items: [Int64: Item] = [:]

    var sorted: [(key: Int64, item: Item)] {
      items.map { ($0.key, $0.value) }.sorted { ($0.1.score, $0.0) < ($1.1.score, $1.0) }
    }

    var list: [Item] { sorted.map(\.item) }

    var keys: OrderedKeys {
      var keys = OrderedKeys(IncrementalResultTests.order)
      let areBehind = sorted.map { keys.append($0.key, [$0.item.score.databaseValue]) }
      #expect(areBehind.allSatisfy { $0 })
      return keys
    }

    func change(_ key: Int64) -> IncrementalResult<Item>.Change {
      var keys = OrderedKeys(IncrementalResultTests.order)
      if let item = items[key] { _ = keys.append(key, [item.score.databaseValue]) }
      return .init(key, items[key], keys)
    }
  }

  @Test(arguments: [6, 60])
  func appliedChangesYieldTheResult(_ countMax: Int64) {
    var generator = SeededRandom(function: "appliedChangesYieldTheResult")
    var (rows, list) = (Rows(), [Item]())
    var result = IncrementalResult<Item>()
    let consumer = result.addConsumer()
    result.replace([], rows.keys)
    var differenceCount = 0
    for _ in 0..<20_000 {
      var changed: Set<Int64> = []
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        let key = Int64.random(in: 0..<countMax, using: &generator)
        changed.insert(key)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0..<2: rows.items[key] = nil
        case 2: rows.items[key]?.name += 1
        // An element may occur twice, and move to another row.
        default:
          let name = Int.random(in: 0..<8, using: &generator)
          rows.items[key] = Item(name: name, score: Int.random(in: 0..<9, using: &generator))
        }
      }
      switch Int.random(in: 0..<30, using: &generator) {
      case 0: result.replace(rows.list, nil)
      case 1: result.replace(rows.list, rows.keys)
      default:
        if !result.isIncremental { result.replace(rows.list, rows.keys) }
        result.update(changed.sorted().map(rows.change))
      }
      // A consumer may be slow.
      if Int.random(in: 0..<3, using: &generator) == 0 { continue }
      switch result.takeChanges(for: consumer, by: \.name) {
      case nil: break
      case .first(let elements): list = elements
      case .all(let old, let new):
        #expect(old == list)
        list = new
      case .rows(let difference):
        differenceCount += 1
        #expect(difference.updates.allSatisfy { list[$0.oldOffset] == $0.oldElement && $0.element != $0.oldElement })
        #expect(difference.removals.allSatisfy { list[$0.offset] == $0.element })
        list.apply(difference)
      }
      if list != rows.list {
        Issue.record("\(list) instead of \(rows.list)")
        return
      }
    }
    #expect(differenceCount > 1_000)
  }

  @Test func rowsInsertedAndRemovedBetweenReadsAreSkipped() {
    var rows = Rows()
    var result = IncrementalResult<Item>()
    let consumer = result.addConsumer()
    result.replace([], rows.keys)
    _ = result.takeChanges(for: consumer, by: \.name)
    rows.items[1] = Item(name: 1, score: 1)
    result.update([rows.change(1)])
    #expect(result.hasChanges)
    rows.items[1] = nil
    result.update([rows.change(1)])
    #expect(!result.hasChanges)
  }

  @Test func eachConsumerReceivesItsOwnChanges() {
    var rows = Rows()
    var result = IncrementalResult<Item>()
    result.replace([], rows.keys)
    let (fast, slow) = (result.addConsumer(), result.addConsumer())
    for consumer in [fast, slow] { _ = result.takeChanges(for: consumer, by: \.name) }
    var insertions: [Int] = []
    for key in Int64(1)...3 {
      rows.items[key] = Item(name: Int(key), score: 0)
      result.update([rows.change(key)])
      if case .rows(let difference) = result.takeChanges(for: fast, by: \.name) {
        insertions += difference.insertions.map(\.element.name)
      }
    }
    #expect(insertions == [1, 2, 3])
    guard case .rows(let difference) = result.takeChanges(for: slow, by: \.name) else {
      Issue.record("All rows are compared")
      return
    }
    #expect(difference.insertions.map(\.element.name) == [1, 2, 3])
    #expect(!result.hasChanges)
  }

  @Test func removedConsumersKeepNoChanges() {
    var rows = Rows()
    var result = IncrementalResult<Item>()
    result.replace([], rows.keys)
    let consumer = result.addConsumer()
    _ = result.takeChanges(for: consumer, by: \.name)
    rows.items[1] = Item(name: 1, score: 1)
    result.update([rows.change(1)])
    #expect(result.hasChanges)
    result.removeConsumer(consumer)
    #expect(!result.hasChanges)
  }

  @Test func onlyTheOvertakingRowMoves() {
    var rows = Rows()
    for key in Int64(0)..<10 { rows.items[key] = Item(name: Int(key), score: Int(key) * 10) }
    var result = IncrementalResult<Item>()
    let consumer = result.addConsumer()
    result.replace(rows.list, rows.keys)
    _ = result.takeChanges(for: consumer, by: \.name)
    rows.items[3]?.score = 41
    result.update([rows.change(3)])
    guard case .rows(let difference) = result.takeChanges(for: consumer, by: \.name) else {
      Issue.record("All rows are compared")
      return
    }
    #expect(difference.moves == [.init(oldOffset: 3, offset: 4)])
    #expect(difference.updates.map(\.offset) == [4])
  }
}
