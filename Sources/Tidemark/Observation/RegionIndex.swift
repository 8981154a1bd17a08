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
struct RegionIndex<ID: Hashable & Sendable>: Sendable {
  /// What was put into the index for a region.
  struct Registration {
    fileprivate var isFull = false
    fileprivate var entries: [(table: TableKey, number: Int)] = []
  }

  private var tables: [TableKey: RegionTableIndex<ID>] = [:]
  private var full: Set<ID> = []
  private var nextNumber = 0

  /// What is needed of the tables. It grows, and shrinks when a table has no region any more.
  private(set) var neededTables: [TableKey: CaptureNeeds.TableNeeds] = [:]

  /// How many times `needs` have changed.
  private(set) var needsVersion = 0

  /// What must be known of changes: of tables of no region nothing, unless there is a region of the full database; then
  /// all of any table is of interest.
  var needs: CaptureNeeds {
    let others = full.isEmpty ? nil : CaptureNeeds.TableNeeds(columns: nil)
    return CaptureNeeds(others: others, tables: neededTables.mapValues { others?.union($0) ?? $0 })
  }

  /// Adds a region.
  mutating func insert(_ region: DatabaseRegion, _ id: ID) -> Registration {
    var registration = Registration()
    guard let regionTables = region.tables else {
      if full.isEmpty { needsVersion += 1 }
      full.insert(id)
      registration.isFull = true
      return registration
    }
    for (table, tableRegion) in regionTables {
      need(tableRegion, in: table)
      for part in tableRegion.parts {
        nextNumber += 1
        registration.entries.append((table, nextNumber))
        tables[table, default: RegionTableIndex()].insert(part, rowIDName: tableRegion.rowIDName, id, nextNumber)
      }
    }
    return registration
  }

  /// Removes a region.
  mutating func remove(_ registration: Registration, _ id: ID) {
    if registration.isFull, full.remove(id) != nil, full.isEmpty { needsVersion += 1 }
    for (table, number) in registration.entries {
      tables[table]?.remove(number)
      if tables[table]?.isEmpty == true {
        tables[table] = nil
        neededTables[table] = nil
        needsVersion += 1
      }
    }
  }

  /// Calls a closure with the regions that the changes of a commit touch: some of them more than once.
  func match(_ changes: TableCommit, _ hit: (ID) -> Void) {
    full.forEach(hit)
    tables[changes.key]?.match(changes, hit)
  }

  /// The columns whose changes matter, the values of those that are filtered, and so many rows that to capture one
  /// more would cost more than to wake all regions of the table for nothing.
  private mutating func need(_ region: TableRegion, in table: TableKey) {
    var needs = neededTables[table] ?? CaptureNeeds.TableNeeds(columns: [], rowCountMax: 10_000)
    for part in region.parts {
      for name in part.rows.columns.keys where needs.values?.contains(name) == false { needs.values?.insert(name) }
      let deciding = part.decidingColumns(rowIDName: region.rowIDName)
      if let known = needs.columns, deciding?.isSubset(of: known) != true { needs.columns = deciding.map(known.union) }
    }
    needs.rows = needs.values?.isEmpty == false
    // In large steps: most regions change nothing of what is needed.
    while needs.rowCountMax < 16 * (tables[table]?.count ?? 0) { needs.rowCountMax *= 2 }
    if needs == neededTables[table] { return }
    neededTables[table] = needs
    needsVersion += 1
  }
}

/// The regions of a table.
struct RegionTableIndex<ID: Hashable & Sendable>: Sendable {
  /// A part of a region.
  private struct Entry {
    var id: ID
    var rows: RowFilter
    var key: EntryKey

    /// Where the columns that it depends on are: many parts depend on the same ones.
    var columnSet: Int
  }

  private var entries: [Int: Entry] = [:]
  private var whole: [Int: Set<Int>] = [:]
  private var columns: [String: ColumnIndex] = [:]
  private var columnSets = ColumnSets()

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  // MARK: Content

  mutating func insert(_ part: TableRegion.Part, rowIDName: String?, _ id: ID, _ number: Int) {
    let key = EntryKey(part.rows, rowIDName: rowIDName)
    let set = columnSets.insert(part.decidingColumns(rowIDName: rowIDName))
    entries[number] = Entry(id: id, rows: part.rows, key: key, columnSet: set)
    switch key {
    case .whole: whole[set, default: []].insert(number)
    case .values(let name), .range(let name): columns[name, default: ColumnIndex()].insert(part.rows, name, number)
    }
  }

  mutating func remove(_ number: Int) {
    guard let entry = entries.removeValue(forKey: number) else { return }
    columnSets.remove(entry.columnSet)
    switch entry.key {
    case .whole:
      whole[entry.columnSet]?.remove(number)
      if whole[entry.columnSet]?.isEmpty == true { whole[entry.columnSet] = nil }
    case .values(let name), .range(let name):
      columns[name]?.remove(entry.rows, name, number)
      if columns[name]?.isEmpty == true { columns[name] = nil }
    }
  }

  // MARK: Matching

  func match(_ changes: TableCommit, _ hit: (ID) -> Void) {
    for (set, numbers) in whole where changes.touches(columns: columnSets[set]) {
      for number in numbers { if let entry = entries[number] { hit(entry.id) } }
    }
    if columns.isEmpty { return }
    if changes.isCoarse {
      for entry in entries.values where changes.touches(columns: columnSets[entry.columnSet]) { hit(entry.id) }
      return
    }
    for (name, column) in columns {
      changes.forEachImage(of: name) { value, row in
        column.find(value) { number in check(number, row, hit) }
      }
    }
  }

  /// Asks a part about a whole row.
  private func check(_ number: Int, _ row: TableCommit.Row, _ hit: (ID) -> Void) {
    guard let entry = entries[number], row.touches(columns: columnSets[entry.columnSet]) else { return }
    if entry.rows.mayAdmit(row.value) { hit(entry.id) }
  }
}

/// Where a part of a region is found.
private enum EntryKey {
  case whole
  case values(String)
  case range(String)

  // A row id tells the most, then one value, then a few, then a range.
  init(_ rows: RowFilter, rowIDName: String?) {
    var best: (rank: Int, name: String, key: EntryKey)?
    for (name, filter) in rows.columns {
      let candidate: (rank: Int, name: String, key: EntryKey) =
        switch filter {
        case .values(let values): (name == rowIDName ? 0 : values.count, name, .values(name))
        case .range(let range): (range.lower == nil || range.upper == nil ? .max : .max - 1, name, .range(name))
        }
      if let other = best, (other.rank, other.name) <= (candidate.rank, candidate.name) { continue }
      best = candidate
    }
    self = best?.key ?? .whole
  }
}

/// The parts that are found by the value of a column.
private struct ColumnIndex {
  private var values: [DatabaseValue: [Int]] = [:]
  private var ranges = IntervalIndex<Int>()

  var isEmpty: Bool { values.isEmpty && ranges.count == 0 }

  mutating func insert(_ rows: RowFilter, _ name: String, _ number: Int) {
    switch rows.columns[name] {
    case .values(let filtered): for value in filtered { values[value, default: []].append(number) }
    case .range(let range): ranges.insert(range, number)
    case nil: preconditionFailure("A part is found by a column that it does not filter")
    }
  }

  mutating func remove(_ rows: RowFilter, _ name: String, _ number: Int) {
    switch rows.columns[name] {
    case .values(let filtered):
      for value in filtered {
        values[value]?.removeAll { $0 == number }
        if values[value]?.isEmpty == true { values[value] = nil }
      }
    case .range: ranges.remove(number)
    case nil: preconditionFailure("A part was found by a column that it does not filter")
    }
  }

  /// Calls a closure for each part that lets a value pass: for all when it is not known.
  func find(_ value: DatabaseValue?, _ body: (Int) -> Void) {
    guard let value else {
      values.values.forEach { $0.forEach(body) }
      return ranges.forEach(body)
    }
    values[value]?.forEach(body)
    if ranges.count > 0 { ranges.find(value, body) }
  }
}

/// Sets of columns, each once, however many parts depend on it. Nil stands for all columns.
private struct ColumnSets {
  private var sets: [Set<String>?] = []
  private var counts: [Int] = []
  private var places: [Set<String>?: Int] = [:]

  subscript(place: Int) -> Set<String>? { sets[place] }

  mutating func insert(_ set: Set<String>?) -> Int {
    if let place = places[set] {
      counts[place] += 1
      return place
    }
    let place = counts.firstIndex(of: 0) ?? sets.count
    if place == sets.count {
      sets.append(set)
      counts.append(1)
    } else {
      sets[place] = set
      counts[place] = 1
    }
    places[set] = place
    return place
  }

  mutating func remove(_ place: Int) {
    counts[place] -= 1
    if counts[place] == 0 { places[sets[place]] = nil }
  }
}

extension TableRegion.Part {
  /// The columns whose changes may alter what is in the part, in lower case: nil stands for all.
  func decidingColumns(rowIDName: String?) -> Set<String>? {
    // Rows come in the order of their ids when no other one is asked for.
    readColumns.map { $0.union(rows.columns.keys).union([rowIDName ?? RowFilter.rowIDName]) }
  }
}
