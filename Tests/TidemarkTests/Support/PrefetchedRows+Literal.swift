@testable import TidemarkEssentials

extension PrefetchedRows: ExpressibleByDictionaryLiteral {
  /// The rows of some keys.
  public init(dictionaryLiteral elements: (String, [Row])...) {
    let tree = PrefetchedTree()
    for (key, rows) in elements {
      let stored = StoredRows(like: rows.first ?? Row())
      do {
        for row in rows { try stored.append(row) }
      } catch {
        preconditionFailure("The values of these rows can always be read: \(error)")
      }
      let groups = RowGroups(stored, groupCount: 1, groupOfRow: rows.map { _ in 0 }, groups: [0])
      tree.set(groups, at: [key])
    }
    self.init(tree: tree)
  }
}
