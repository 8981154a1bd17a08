/// Compares two lists with mostly equal rows, by their different rows.
///
/// The equal rows keep their order. So a row has moved if the number of them before it has changed, or if it has
/// moved past another different row.
struct RowComparison<Element: Equatable> {
  private struct ComparedRow {
    var key: Int64
    var element: Element
    var offset: Int

    /// The number of equal rows before it.
    var othersBefore: Int
  }

  private var old: [ComparedRow] = []
  private var new: [ComparedRow] = []

  /// Adds a row of the old list, after all added ones.
  mutating func addOld(_ key: Int64, _ element: Element, othersBefore: Int) {
    old.append(ComparedRow(key: key, element: element, offset: othersBefore + old.count, othersBefore: othersBefore))
  }

  /// Adds a row of the new list, after all added ones.
  mutating func addNew(_ key: Int64, _ element: Element, offset: Int) {
    new.append(ComparedRow(key: key, element: element, offset: offset, othersBefore: offset - new.count))
  }

  func difference<ID: Hashable>(oldCount: Int, by id: (Element) -> ID) -> KeyedDifference<Element> {
    typealias Difference = KeyedDifference<Element>
    let partners = partners(by: id)
    let partnersOfOld = Set(partners.compactMap { $0 })
    let removals = old.indices.filter { !partnersOfOld.contains($0) }
    let pairs = partners.enumerated().compactMap { i, j in j.map { (old: old[$0], oldIndex: $0, new: new[i]) } }
    // Rows that have not moved past an equal row stay, unless they have moved past each other.
    let candidates = pairs.indices.filter { pairs[$0].old.othersBefore == pairs[$0].new.othersBefore }
    let stays = longestRun(of: candidates.map { pairs[$0].oldIndex })
    let staying = Set(zip(candidates, stays).compactMap { $1 ? $0 : nil })
    return Difference(
      removals: removals.map { Difference.Entry(offset: old[$0].offset, element: old[$0].element) },
      insertions: new.indices.filter { partners[$0] == nil }.map {
        Difference.Entry(offset: new[$0].offset, element: new[$0].element)
      },
      moves: pairs.indices.filter { !staying.contains($0) }.map {
        Difference.Move(oldOffset: pairs[$0].old.offset, offset: pairs[$0].new.offset)
      },
      updates: pairs.filter { $0.old.element != $0.new.element }.map {
        Difference.Update(
          oldOffset: $0.old.offset, offset: $0.new.offset, oldElement: $0.old.element, element: $0.new.element)
      },
      oldCount: oldCount)
  }

  /// For each row of the new list, the index of the same element in the old list: preferably the one with the same row
  /// ID.
  private func partners<ID: Hashable>(by id: (Element) -> ID) -> [Int?] {
    var partners: [Int?] = Array(repeating: nil, count: new.count)
    let (oldIDs, newIDs) = (old.map { id($0.element) }, new.map { id($0.element) })
    let comparedRows = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.key, $0) })
    for (i, row) in new.enumerated() {
      if let j = comparedRows[row.key], oldIDs[j] == newIDs[i] { partners[i] = j }
    }
    let taken = Set(partners.compactMap { $0 })
    // From the last one to the first one, so that the first remaining one is removed first.
    var left: [ID: [Int]] = [:]
    for j in old.indices.reversed() where !taken.contains(j) { left[oldIDs[j], default: []].append(j) }
    if left.isEmpty { return partners }
    for i in new.indices where partners[i] == nil { partners[i] = left[newIDs[i]]?.popLast() }
    return partners
  }
}
