/// Two tables of a query, a row of one of which matters only where a column of it is equal to a column of the other.
///
/// So what is known of the values of one column is known of the other one: `a.x = b.y AND b.y = 5` reads those rows of
/// `a` where `x` is 5; and the rows of `tag` that `item JOIN tag ON tag.item = item.id WHERE item.owner = 5` reads are
/// those that have the id of an item of this owner.
///
/// Laws:
/// 1. What is compared is what is stored: no column would convert the values of the other one, and texts are compared
///    by their bytes.
/// 2. It holds in one direction only, where an outer join shows rows of one table that have no equal.
struct RowEquality: Equatable, Sendable {
  /// An occurrence of a table.
  struct Place: Hashable, Sendable {
    var table: TableKey

    /// Which of the occurrences of that table it is.
    var number: Int
  }

  struct Side: Equatable, Sendable {
    var place: Place
    var column: ColumnFacts
  }

  /// What is known of this one
  var from: Side

  /// is known of this one, too.
  var to: Side

  /// Whether columns are equal where what they have stored is.
  static func areComparable(_ one: ColumnFacts, _ other: ColumnFacts) -> Bool {
    guard one.isBinary, other.isBinary else { return false }
    switch (one.affinity, other.affinity) {
    case (.text, .text), (.blob, .blob): return true
    case (.integer, .integer), (.integer, .numeric), (.numeric, .integer), (.numeric, .numeric): return true
    // Where an index is used, an integer may have become the nearest double.
    default: return false
    }
  }

  /// Those of the rows on this side whose values pass on the other one, as far as these are known.
  func transfer(_ rows: ConditionRows, to others: ConditionRows) -> ConditionRows {
    var filters: [RowFilter] = []
    for filter in rows.filters {
      guard let known = filter.columns[from.column.name] else { return others }
      // NULL is equal to nothing.
      filters.append(RowFilter(known.intersection(.range(ValueRange())), ofColumn: to.column.name))
    }
    return others.intersection(ConditionRows(filters: filters.filter { !$0.isEmpty }))
  }

  /// Those of the rows on this side that have one of some values.
  func rows(_ rows: ConditionRows, having values: [DatabaseValue]) -> ConditionRows {
    let filter = RowFilter(.values(Set(values)), ofColumn: to.column.name)
    return rows.intersection(ConditionRows(filters: filter.isEmpty ? [] : [filter]))
  }
}
