// The steps of a history. A pure value: it decides which step is undone or redone, and which steps are forgotten.
//
//     undoable steps: oldest … newest │ redoable steps: next … last
//
//     record    a new step after the undoable ones; the redoable ones are forgotten
//     undo      the newest undoable step becomes the next redoable one
//     redo      the next redoable step becomes the newest undoable one
//
// Invariants:
// 1. Steps are undone in the reverse order of their recording, and redone in that order.
// 2. Over the limits, the oldest undoable steps are forgotten first. A step that exceeds the limits alone is forgotten
//    with all steps before it.
// 3. In a group, recorded changes belong to one step, which cannot be undone before the group has ended.

struct HistoryState {
  struct Step: Sendable {
    /// Increases with each step.
    var number: Int64
    var name: String?
    var changes: Changeset
    var byteCount: Int
  }

  let limits: ChangeHistory.Limits
  private(set) var undoable: [Step] = []
  private(set) var redoable: [Step] = []
  private(set) var byteCount = 0

  private var lastNumber: Int64 = 0

  /// The open groups, the outermost first, and the changes that they contain.
  private var groupNames: [String?] = []
  private var groupChanges = Changeset()

  /// The number of the step that the groups form, once they contain changes, and the number of their transactions.
  private(set) var groupNumber: Int64?
  private var groupCount: Int64 = 0

  init(limits: ChangeHistory.Limits) { self.limits = limits }

  var isInGroup: Bool { !groupNames.isEmpty }

  /// - Parameter number: The number of the stored step; nil to choose it.
  mutating func record(_ changes: Changeset, name: String?, in number: Int64? = nil) {
    let net = changes.net
    if net.isEmpty { return }
    if let number, let index = undoable.firstIndex(where: { $0.number == number }) {
      // The group has ended on another thread, after the changes were stored.
      return combine(index, with: net)
    }
    let number = number ?? groupNumber ?? lastNumber + 1
    lastNumber = max(lastNumber, number)
    if isInGroup, groupNumber == nil || groupNumber == number {
      groupNumber = number
      groupChanges = groupChanges.combined(with: net)
      groupCount += 1
    } else {
      append(net, number, name)
    }
  }

  private mutating func combine(_ index: Int, with later: Changeset) {
    let step = undoable.remove(at: index)
    byteCount -= step.byteCount
    let net = step.changes.combined(with: later).net
    if !net.isEmpty { append(net, step.number, step.name) }
  }

  /// The part of a step that a named history stores when it records changes; nil for nothing.
  func part(_ changes: Changeset, name: String?) -> HistoryTable.Part? {
    let net = changes.net
    if net.isEmpty { return nil }
    return HistoryTable.Part(
      step: groupNumber ?? lastNumber + 1, number: groupCount, name: groupNames.first ?? name, changes: net)
  }

  private mutating func append(_ net: Changeset, _ number: Int64, _ name: String?) {
    let step = Step(number: number, name: name, changes: net, byteCount: net.byteCount)
    byteCount += step.byteCount - redoable.reduce(0) { $0 + $1.byteCount }
    redoable = []
    // Steps that were recorded during a group have greater numbers.
    undoable.insert(step, at: undoable.firstIndex { $0.number > number } ?? undoable.endIndex)
    let excess = undoable.count - limits.stepCount
    var removedCount = max(0, excess)
    byteCount -= undoable[..<removedCount].reduce(0) { $0 + $1.byteCount }
    while byteCount > limits.byteCount, removedCount < undoable.count {
      byteCount -= undoable[removedCount].byteCount
      removedCount += 1
    }
    undoable.removeSubrange(..<removedCount)
  }

  /// The newest step was undone.
  mutating func didUndo() {
    if let step = undoable.popLast() { redoable.insert(step, at: 0) }
  }

  /// The next step was redone.
  mutating func didRedo() {
    if !redoable.isEmpty { undoable.append(redoable.removeFirst()) }
  }

  mutating func removeAll() { (undoable, redoable, byteCount) = ([], [], 0) }

  /// Takes over the steps of another state. The open groups remain.
  mutating func adopt(_ other: HistoryState) {
    (undoable, redoable, byteCount) = (other.undoable, other.redoable, other.byteCount)
    lastNumber = max(lastNumber, other.lastNumber)
    if groupNumber != nil, other.groupNumber == nil { forgetGroupChanges() }
  }

  /// Another object has undone or removed the changes of the open group. It continues as another step.
  private mutating func forgetGroupChanges() { (groupChanges, groupNumber, groupCount) = (Changeset(), nil, 0) }

  /// Replaces all steps by stored ones. The open groups remain.
  ///
  /// - Parameter parts: The transactions of the steps, in their order.
  mutating func restore(_ parts: [(part: HistoryTable.Part, isUndone: Bool)]) {
    removeAll()
    if let groupNumber, !parts.contains(where: { $0.part.step == groupNumber && !$0.isUndone }) {
      lastNumber = max(lastNumber, groupNumber)
      forgetGroupChanges()
    }
    var rest = parts.filter { $0.part.step != groupNumber }[...]
    while let (first, isUndone) = rest.first {
      let transactions = rest.prefix { $0.part.step == first.step }
      rest = rest.dropFirst(transactions.count)
      let net = transactions.reduce(Changeset()) { $0.combined(with: $1.part.changes) }.net
      lastNumber = max(lastNumber, first.step)
      if net.isEmpty { continue }
      // A step that follows undone ones belongs to a group that has not ended.
      if !isUndone {
        append(net, first.step, first.name)
        continue
      }
      let step = Step(number: first.step, name: first.name, changes: net, byteCount: net.byteCount)
      redoable.append(step)
      byteCount += step.byteCount
    }
  }

  // MARK: - Groups

  mutating func beginGroup(_ name: String?) { groupNames.append(name) }

  mutating func endGroup() {
    let name = groupNames.removeLast()
    if isInGroup { return }
    let (net, number) = (groupChanges.net, groupNumber)
    forgetGroupChanges()
    if let number, !net.isEmpty { append(net, number, name) }
  }
}

extension Changeset {
  /// The approximate size in memory.
  fileprivate var byteCount: Int {
    elements.reduce(0) { sum, element in
      switch element {
      case .row(let row):
        sum + 64 + (row.oldValues ?? []).byteCount + (row.newValues ?? []).byteCount
      case .schema(let sql): sum + 64 + sql.utf8.count
      case .counter, .userVersion, .unknownRows, .notification: sum + 64
      }
    }
  }
}

extension [DatabaseValue] {
  fileprivate var byteCount: Int {
    reduce(0) { sum, value in
      switch value.storage {
      case .string(let text): sum + 32 + text.utf8.count
      case .blob(let data): sum + 32 + data.count
      case .null, .int64, .double: sum + 32
      }
    }
  }
}
