/// The row IDs of the rows of a table that have changed since the last fetch.
///
/// It is used by queries that fetch only changed rows. It may contain rows that have not changed; if it cannot contain
/// all that have, it contains none.
enum ChangedRows: Equatable {
  case some(Set<Int64>)

  /// Any row may have changed.
  case any

  /// No row has changed.
  static let none = ChangedRows.some([])

  /// Fetching more rows one by one takes longer than fetching most results completely.
  static let countMax = 2_000

  mutating func formUnion(_ other: ChangedRows) {
    guard case .some(let ids) = other, case .some(let own) = self else {
      self = .any
      return
    }
    if own.isEmpty { self = other } else { set(own.union(ids)) }
  }

  /// Adds the changes of the table by a commit.
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
