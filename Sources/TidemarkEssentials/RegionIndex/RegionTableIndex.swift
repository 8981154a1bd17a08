/// The regions of a table. It belongs to a `RegionIndex`.
final class RegionTableIndex<ID: Hashable & Sendable>: @unchecked Sendable {
  /// A part of a region. There may be very many.
  private struct Entry {
    var id: ID

    /// The index of the set of columns that it depends on: many parts share one.
    var columnSet: Int32

    /// The number of the column index by which it is found; nil for the whole table, and if only formulas select the
    /// rows.
    var column: Int16?

    var filter = Filter.all

    /// The filter of the rows.
    enum Filter {
      case all

      /// The value by which it is found, if this is the whole filter.
      case value(DatabaseValue)
      case rows(RowFilter)
    }

    var isOfAllRows: Bool { if case .all = filter { true } else { false } }
  }

  /// The common properties of parts of the same query with different arguments.
  private struct Shape: Equatable {
    var columns: [String: String]?
    var orderingColumns: Set<String>
    var filteringColumns: Set<String>
    var filteredColumns: [String]
    var rowIDName: String?

    init(_ part: TableRegion.Part, rowIDName: String?) {
      columns = part.columns
      orderingColumns = part.orderingColumns
      filteringColumns = part.filteringColumns
      filteredColumns = part.rows.isOfOneColumn ? part.rows.columns.map(\.key) : part.rows.columnNames.sorted()
      self.rowIDName = rowIDName
    }
  }

  /// The maximum number of tests per commit of parts that are not found by a column.
  private static var checkCountMax: Int { 5_000 }

  /// The maximum number of indexed expressions: each of them is evaluated for each changed row.
  private static var expressionCountMax: Int { 32 }

  let key: TableKey

  private struct Parts {
    var entries = Slots<Entry>()
    var whole: [Int32: Set<Int32>] = [:]

    /// The parts that are tested with each row.
    var unindexed: Set<Int32> = []

    /// By the numbers of columns and expressions. Unused ones are kept: there are few.
    var columns: [ColumnIndex] = []
    var columnSets = ColumnSets()

    /// The shape of the last added part, while it exists, and its set of columns. Most parts have the
    /// shape of the previous one, because they belong to the same query.
    var lastShape: (shape: Shape, set: Int32)?

    /// The effect of the last update on parts that depend on a set of columns: most commits update the same
    /// columns.
    var lastTouch: (set: Int32, layout: CaptureLayout, changed: UInt64, touch: (decides: Bool, shows: Bool))?
  }

  private var parts = Parts()

  init(key: TableKey) {
    self.key = key
  }

  var isEmpty: Bool { parts.entries.isEmpty }
  var count: Int { parts.entries.count }

  // MARK: Content

  /// Whether a part has the same columns as the previous one, including its filters.
  func resemblesLast(_ part: TableRegion.Part, rowIDName: String?) -> Bool {
    parts.lastShape.map { $0.shape == Shape(part, rowIDName: rowIDName) } ?? false
  }

  private func insertColumns(of part: TableRegion.Part, rowIDName: String?) -> Int32 {
    let shape = Shape(part, rowIDName: rowIDName)
    if let lastShape = parts.lastShape, lastShape.shape == shape {
      parts.columnSets.retain(lastShape.set)
      return lastShape.set
    }
    let deciding = part.decidingColumns(rowIDName: rowIDName)
    // The number may have belonged to another set.
    parts.lastTouch = nil
    let set = parts.columnSets.insert(
      .init(deciding: deciding, shown: part.shownColumns(of: deciding, rowIDName: rowIDName)))
    parts.lastShape = (shape, set)
    return set
  }

  func insert(_ part: TableRegion.Part, rowIDName: String?, _ id: ID) -> Int32 {
    let set = insertColumns(of: part, rowIDName: rowIDName)
    var entry = Entry(id: id, columnSet: set)
    guard let (key, filter) = part.rows.mostSelectiveFilter(rowIDName: rowIDName), let column = column(of: key) else {
      if !part.rows.isAll {
        entry.filter = .rows(part.rows)
        let number = parts.entries.insert(entry)
        parts.unindexed.insert(number)
        return number
      }
      let number = parts.entries.insert(entry)
      parts.whole[set, default: []].insert(number)
      return number
    }
    entry.column = column
    if case .values(let values) = filter, values.count == 1, let value = values.first, part.rows.isOfOneColumn {
      entry.filter = .value(value)
    } else {
      entry.filter = .rows(part.rows)
    }
    let number = parts.entries.insert(entry)
    if case .value(let value) = entry.filter {
      parts.columns[Int(column)].insert(value, number)
    } else {
      parts.columns[Int(column)].insert(filter, number)
    }
    return number
  }

  /// The number of the index of a column or an expression; nil for an expression too many.
  private func column(of key: ColumnIndex.Key) -> Int16? {
    if let number = parts.columns.firstIndex(where: { $0.key == key }) { return Int16(number) }
    if key.isExpression, parts.columns.count(where: \.key.isExpression) >= Self.expressionCountMax {
      guard let unused = parts.columns.firstIndex(where: { $0.key.isExpression && $0.isEmpty }) else { return nil }
      parts.columns[unused] = ColumnIndex(key)
      return Int16(unused)
    }
    parts.columns.append(ColumnIndex(key))
    return Int16(parts.columns.count - 1)
  }

  func remove(_ number: Int32) {
    let entry = parts.entries.remove(number)
    if !parts.columnSets.remove(entry.columnSet), parts.lastShape?.set == entry.columnSet { parts.lastShape = nil }
    guard let column = entry.column.map(Int.init) else {
      if parts.unindexed.remove(number) != nil { return }
      parts.whole[entry.columnSet]?.remove(number)
      if parts.whole[entry.columnSet]?.isEmpty == true { parts.whole[entry.columnSet] = nil }
      return
    }
    if case .value(let value) = entry.filter { parts.columns[column].remove(value, number) }
    if case .rows(let rows) = entry.filter, let filter = rows.filter(of: parts.columns[column].key) {
      parts.columns[column].remove(filter, number)
    }
  }

  // MARK: Matching

  func match(_ changes: TableCommit, _ hit: (ID) -> Void) {
    if !parts.whole.isEmpty { matchWhole(changes, hit) }
    if changes.isCoarse { return matchCoarsely(changes, hit) }
    if !parts.unindexed.isEmpty { matchUnindexed(changes, hit) }
    for column in parts.columns where !column.isEmpty {
      column.forEachImage(in: changes) { value, row, isOfBothImages in
        column.find(value) { number in check(parts.entries[number], row, isOfBothImages, hit) }
      }
    }
  }

  private func matchWhole(_ changes: TableCommit, _ hit: (ID) -> Void) {
    for (set, numbers) in parts.whole where changes.touches(columns: parts.columnSets[set].deciding) {
      for number in numbers { hit(parts.entries[number].id) }
    }
  }

  private func matchUnindexed(_ changes: TableCommit, _ hit: (ID) -> Void) {
    // The writer waits for the result.
    if changes.rowIndexes.count * parts.unindexed.count > Self.checkCountMax {
      for number in parts.unindexed
      where changes.touches(columns: parts.columnSets[parts.entries[number].columnSet].deciding) {
        hit(parts.entries[number].id)
      }
      return
    }
    changes.forEachImage(at: { $0.location(of: RowFilter.rowIDName) }) { _, row, isOfBothImages in
      for number in parts.unindexed { check(parts.entries[number], row, isOfBothImages, hit) }
    }
  }

  private func matchCoarsely(_ changes: TableCommit, _ hit: (ID) -> Void) {
    parts.entries.forEach { entry in
      if !entry.isOfAllRows, changes.touches(columns: parts.columnSets[entry.columnSet].deciding) { hit(entry.id) }
    }
  }

  /// Tests a part with a whole row.
  ///
  /// - Parameter isOfBothImages: Whether the part was found by both the old and the new row.
  private func check(_ entry: Entry, _ row: TableCommit.ChangedRow, _ isOfBothImages: Bool, _ hit: (ID) -> Void) {
    let touch = touch(row, entry.columnSet)
    guard touch.decides else { return }
    if case .rows(let rows) = entry.filter {
      guard rows.mayAdmit(row.value) || isOfBothImages && rows.mayAdmit(row.other.value) else { return }
    }
    // The old and the new row are in the part, and no visible column has changed.
    if !touch.shows, surelyHolds(row, entry), surelyHolds(row.other, entry) { return }
    hit(entry.id)
  }

  /// Whether the change of a row may affect parts that depend on some columns, and whether it may be visible in a row
  /// that is in the part before and after.
  private func touch(_ row: TableCommit.ChangedRow, _ set: Int32) -> (decides: Bool, shows: Bool) {
    guard let update = row.updateKeepingRowID else { return (true, true) }
    if let lastTouch = parts.lastTouch, lastTouch.set == set, lastTouch.layout === update.layout,
      lastTouch.changed == update.changed
    {
      return lastTouch.touch
    }
    let columns = parts.columnSets[set]
    let touch = (row.touches(columns: columns.deciding), columns.shown.map { row.touches(columns: $0) } ?? true)
    parts.lastTouch = (set, update.layout, update.changed, touch)
    return touch
  }

  private func surelyHolds(_ row: TableCommit.ChangedRow, _ entry: Entry) -> Bool {
    if case .rows(let rows) = entry.filter { return rows.surelyAdmits(row.value) }
    guard case .value(let value) = entry.filter, let column = entry.column,
      case .column(let name) = parts.columns[Int(column)].key, let own = row.value(of: name)
    else { return false }
    return ColumnFilter.values([value]).surelyAdmits(own)
  }
}

extension RowFilter {
  /// The filter by which rows are found: preferably of the row ID, then one with a single value, a few values, or a
  /// range.
  fileprivate func mostSelectiveFilter(rowIDName: String?) -> (key: ColumnIndex.Key, filter: ColumnFilter)? {
    func rank(_ filter: ColumnFilter) -> Int {
      switch filter {
      case .values(let values): values.count
      case .range(let range): range.lower == nil || range.upper == nil ? .max : .max - 1
      }
    }
    let column = columns.map { name, filter in
      if name == rowIDName, case .values = filter { (0, name, filter) } else { (rank(filter), name, filter) }
    }
    .min { ($0.0, $0.1) < ($1.0, $1.1) }
    let expression = expressions.map { (rank($0.value), $0.key.description, $0.key, $0.value) }
      .min { ($0.0, $0.1) < ($1.0, $1.1) }
    // Finding the value of a column takes less time than evaluating an expression.
    if let column, column.0 <= expression?.0 ?? .max { return (.column(column.1), column.2) }
    return expression.map { (.expression($0.2), $0.3) }
  }

  fileprivate func filter(of key: ColumnIndex.Key) -> ColumnFilter? {
    switch key {
    case .column(let name): columns[name]
    case .expression(let expression): expressions[expression]
    }
  }
}

/// The columns that parts depend on, without duplicates.
private struct ColumnSets {
  struct Columns: Hashable {
    /// The columns whose changes may alter the content of the part: nil stands for all.
    var deciding: Set<String>?

    /// The columns among them that matter to a row that is in the part before and after; nil if all do.
    var shown: Set<String>?
  }

  private var sets: [Columns] = []
  private var counts: [Int] = []
  private var locations: [Columns: Int32] = [:]

  subscript(location: Int32) -> Columns { sets[Int(location)] }

  mutating func insert(_ set: Columns) -> Int32 {
    if let location = locations[set] {
      counts[Int(location)] += 1
      return location
    }
    let location = counts.firstIndex(of: 0) ?? sets.count
    if location == sets.count {
      sets.append(set)
      counts.append(1)
    } else {
      sets[location] = set
      counts[location] = 1
    }
    locations[set] = Int32(location)
    return Int32(location)
  }

  mutating func retain(_ location: Int32) { counts[Int(location)] += 1 }

  /// - Returns: Whether the set still exists.
  mutating func remove(_ location: Int32) -> Bool {
    counts[Int(location)] -= 1
    if counts[Int(location)] > 0 { return true }
    locations[sets[Int(location)]] = nil
    return false
  }
}

extension TableRegion.Part {
  /// The columns whose changes alter the content of the part although the row is in it before and after, in lower case:
  /// nil if all deciding columns do.
  fileprivate func shownColumns(of deciding: Set<String>?, rowIDName: String?) -> Set<String>? {
    guard let deciding else { return nil }
    let shown = deciding.filter { shows($0) || $0 == rowIDName ?? RowFilter.rowIDName }
    return shown.count == deciding.count ? nil : shown
  }

  /// The columns whose changes may alter the content of the part, in lower case: nil stands for all.
  func decidingColumns(rowIDName: String?) -> Set<String>? {
    // Without another order, rows come in the order of their row IDs.
    readColumns.map { $0.union(rows.columnNames).union([rowIDName ?? RowFilter.rowIDName]) }
  }
}
