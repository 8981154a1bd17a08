/// Which of many regions a commit touches.
///
/// It maps table, column and value to the parts of regions that are filtered by that value, so that the cost of a
/// commit is that of its changes, and not that of the regions it does not concern:
///
///     table -+- columns that are read -> parts of the whole table
///            +- column -+- value  -> parts with `column = value`, `column IN (…)`
///                       +- ranges -> parts with `column < value`, `BETWEEN` …
///
/// Of a filter on several columns, one is chosen to find the part by; the part is then asked about the whole row.
///
/// Law: a region that a change touches is found (`DatabaseRegion.isModified(by:)` says the same, slowly).
struct RegionIndex<ID: Hashable & Sendable> {
  /// What was put into the index for a region.
  struct Registration {
    fileprivate var isFull = false
    fileprivate var entries: [(table: TableKey, number: Int)] = []
  }

  private var tables: [TableKey: RegionTableIndex<ID>] = [:]
  private var full: Set<ID> = []
  private var nextNumber = 0

  /// The columns whose values decide, by table. It grows, and shrinks when a table has no region any more.
  private(set) var neededColumns: [TableKey: Set<String>] = [:]

  /// How many times `neededColumns` has changed.
  private(set) var needsVersion = 0

  /// Adds a region.
  mutating func insert(_ region: DatabaseRegion, _ id: ID) -> Registration {
    var registration = Registration()
    guard let regionTables = region.tables else {
      full.insert(id)
      registration.isFull = true
      return registration
    }
    for (table, tableRegion) in regionTables {
      need(tableRegion, in: table)
      for part in tableRegion.parts {
        nextNumber += 1
        registration.entries.append((table, nextNumber))
        tables[table, default: RegionTableIndex()].insert(
          .init(id: id, part: part, rowIDName: tableRegion.rowIDName), nextNumber)
      }
    }
    return registration
  }

  /// Removes a region.
  mutating func remove(_ registration: Registration, _ id: ID) {
    if registration.isFull { full.remove(id) }
    for (table, number) in registration.entries {
      tables[table]?.remove(number)
      if tables[table]?.isEmpty == true {
        tables[table] = nil
        neededColumns[table] = nil
        needsVersion += 1
      }
    }
  }

  /// Calls a closure with the regions that the changes of a commit touch: some of them more than once.
  func match(_ changes: some CapturedTable, _ hit: (ID) -> Void) {
    full.forEach(hit)
    tables[changes.table]?.match(changes, hit)
  }

  private mutating func need(_ region: TableRegion, in table: TableKey) {
    var columns = neededColumns[table] ?? []
    let count = columns.count
    for part in region.parts {
      for name in part.rows.columns.keys where name != region.rowIDName { columns.insert(name) }
    }
    if columns.count == count, neededColumns[table] != nil { return }
    neededColumns[table] = columns
    needsVersion += 1
  }
}

/// The regions of a table.
struct RegionTableIndex<ID: Hashable & Sendable> {
  /// A part of a region.
  struct Entry {
    var id: ID
    var part: TableRegion.Part
    var rowIDName: String?
  }

  /// What the parts of the whole table read. Nil: everything.
  private typealias ReadColumns = Set<String>?

  private struct Column {
    var values: [DatabaseValue: [Int]] = [:]
    var ranges = IntervalIndex<Int>()

    var isEmpty: Bool { values.isEmpty && ranges.count == 0 }
  }

  private var entries: [Int: Entry] = [:]
  private var whole: [ReadColumns: Set<Int>] = [:]
  private var columns: [String: Column] = [:]

  var isEmpty: Bool { entries.isEmpty }

  // MARK: Content

  mutating func insert(_ entry: Entry, _ number: Int) {
    entries[number] = entry
    switch entry.key {
    case .whole:
      whole[entry.part.readColumns, default: []].insert(number)
    case .values(let name, let values):
      for value in values { columns[name, default: Column()].values[value, default: []].append(number) }
    case .range(let name, let range):
      columns[name, default: Column()].ranges.insert(range, number)
    }
  }

  mutating func remove(_ number: Int) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    switch entry.key {
    case .whole:
      whole[entry.part.readColumns]?.remove(number)
      if whole[entry.part.readColumns]?.isEmpty == true { whole[entry.part.readColumns] = nil }
    case .values(let name, let values):
      for value in values {
        columns[name]?.values[value]?.removeAll { $0 == number }
        if columns[name]?.values[value]?.isEmpty == true { columns[name]?.values[value] = nil }
      }
      if columns[name]?.isEmpty == true { columns[name] = nil }
    case .range(let name, _):
      columns[name]?.ranges.remove(number)
      if columns[name]?.isEmpty == true { columns[name] = nil }
    }
  }

  // MARK: Matching

  func match(_ changes: some CapturedTable, _ hit: (ID) -> Void) {
    matchWhole(changes, hit)
    if columns.isEmpty { return }
    if changes.isCoarse { return matchCoarsely(changes, hit) }
    for (name, column) in columns {
      // Regions of a table agree on what its row id is called, but for those that were made before it was changed.
      let slot = changes.slot(of: name)
      for row in 0..<changes.rowCount {
        match(changes, row, column, slot, .old, hit)
        match(changes, row, column, slot, .new, hit)
      }
    }
  }

  private func matchWhole(_ changes: some CapturedTable, _ hit: (ID) -> Void) {
    for (columns, numbers) in whole {
      let isTouched = changes.hasInsertsOrDeletes || columns.map(changes.hasUpdates(of:)) ?? true
      if isTouched { for number in numbers { tell(number, hit) } }
    }
  }

  private func matchCoarsely(_ changes: some CapturedTable, _ hit: (ID) -> Void) {
    for entry in entries.values where changes.hasInsertsOrDeletes || entry.isTouched(byUpdatesOf: changes) {
      hit(entry.id)
    }
  }

  private func match(
    _ changes: some CapturedTable, _ row: Int, _ column: Column, _ slot: CapturedSlot?, _ image: CapturedImage,
    _ hit: (ID) -> Void
  ) {
    guard changes.has(image, row) else { return }
    guard let slot, let value = changes.value(slot, image, row) else {
      // Not known: it may be any of them.
      for numbers in column.values.values { for number in numbers { check(number, changes, row, image, hit) } }
      column.ranges.forEach { check($0, changes, row, image, hit) }
      return
    }
    for number in column.values[value] ?? [] { check(number, changes, row, image, hit) }
    if column.ranges.count > 0 { column.ranges.find(value) { check($0, changes, row, image, hit) } }
  }

  /// Asks a part about a whole row.
  private func check(
    _ number: Int, _ changes: some CapturedTable, _ row: Int, _ image: CapturedImage, _ hit: (ID) -> Void
  ) {
    guard let entry = entries[number] else { return }
    if changes.isUpdate(row), !entry.isTouched(byUpdate: row, of: changes) { return }
    let isAdmitted = entry.part.rows.mayAdmit { name in
      if let slot = changes.slot(of: name) { return changes.value(slot, image, row) }
      return name == entry.rowIDName ? changes.rowID(image, row).map { DatabaseValue(.int64($0)) } : nil
    }
    if isAdmitted { hit(entry.id) }
  }

  private func tell(_ number: Int, _ hit: (ID) -> Void) {
    if let entry = entries[number] { hit(entry.id) }
  }
}
