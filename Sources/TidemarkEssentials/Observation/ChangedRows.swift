/// The rows of a table that have changed since somebody last asked, by their ids.
///
/// It is kept for queries that fetch such rows alone. It may name rows that have not changed; where it cannot name all
/// that have, it names none.
enum ChangedRows: Equatable {
  case some(Set<Int64>)

  /// Any may have changed.
  case any

  /// Nothing has changed.
  static let none = ChangedRows.some([])

  /// So many rows take longer to be fetched one by one than most results take as a whole.
  static let countMax = 2_000

  mutating func formUnion(_ other: ChangedRows) {
    guard case .some(let ids) = other, case .some(let own) = self else {
      self = .any
      return
    }
    if own.isEmpty { self = other } else { set(own.union(ids)) }
  }

  /// Adds what a commit has changed in the table.
  mutating func insert(_ changes: TableCommit) {
    guard case .some(var ids) = self else { return }
    self = .any
    guard !changes.isCoarse, changes.rowIndexes.count <= Self.countMax else { return }
    for index in changes.rowIndexes {
      let record = changes.log.records[index]
      guard changes.log.layouts[Int(record.table)].hasRowID else { return }
      if record.kind != .insert { ids.insert(record.oldRowID) }
      if record.kind != .delete { ids.insert(record.newRowID) }
    }
    set(ids)
  }

  private mutating func set(_ ids: Set<Int64>) { self = ids.count > Self.countMax ? .any : .some(ids) }
}
