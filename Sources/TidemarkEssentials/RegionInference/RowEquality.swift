/// A condition that a column of one table equals a column of another one.
///
/// It transfers filters between the columns: `a.x = b.y AND b.y = 5` reads only rows of
/// `a` where `x` is 5; and the rows of `tag` in `item JOIN tag ON tag.item = item.id WHERE item.owner = 5` are
/// those with the ID of an item of this owner.
///
/// Invariants:
/// 1. Stored values are compared: neither column converts the values of the other one, and texts are compared
///    by their bytes.
/// 2. It applies in one direction only if an outer join returns rows of one table without a matching row.
struct RowEquality: Equatable, Sendable {
  /// An occurrence of a table.
  struct OccurrenceID: Hashable, Sendable {
    var table: TableKey

    /// The number among the occurrences of this table.
    var number: Int
  }

  struct Side: Equatable, Sendable {
    var occurrenceID: OccurrenceID
    var column: ColumnFacts
  }

  /// Filters of this column
  var from: Side

  /// also apply to this one.
  var to: Side

  /// Whether columns are equal exactly if their stored values are.
  static func areComparable(_ one: ColumnFacts, _ other: ColumnFacts) -> Bool {
    guard one.isBinary, other.isBinary else { return false }
    switch (one.affinity, other.affinity) {
    case (.text, .text), (.blob, .blob): return true
    case (.integer, .integer), (.integer, .numeric), (.numeric, .integer), (.numeric, .numeric): return true
    // With an index, an integer may have become the nearest double.
    default: return false
    }
  }

  /// The rows on this side with values that the other side may have, as far as these are known.
  func transfer(_ rows: ConditionRows, to others: ConditionRows) -> ConditionRows {
    var filters: [RowFilter] = []
    for filter in rows.filters {
      guard let known = filter.columns[from.column.name] else { return others }
      // NULL equals nothing.
      filters.append(RowFilter(known.intersection(.range(ValueRange())), ofColumn: to.column.name))
    }
    return others.intersection(ConditionRows(filters: filters.filter { !$0.isEmpty }))
  }

  /// The rows on this side with one of some values.
  func rows(_ rows: ConditionRows, having values: [DatabaseValue]) -> ConditionRows {
    // SQLite compares the number: see `CaptureLayout.Column.comparesNumbers`.
    if to.column.affinity.comparesNumbers, values.contains(where: \.isNumericText) { return rows }
    let filter = RowFilter(.values(Set(values)), ofColumn: to.column.name)
    return rows.intersection(ConditionRows(filters: filter.isEmpty ? [] : [filter]))
  }
}

extension DatabaseValue {
  fileprivate var isNumericText: Bool { if case .string(let text) = storage { text.isNumber } else { false } }
}
