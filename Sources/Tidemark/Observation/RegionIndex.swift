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
/// Law: a region that a change touches is found, and no other one: where rows are told,
/// `DatabaseRegion.isModified(by:)` says the same, slowly. Of a table that is told without its rows, all regions are
/// found that read what has changed.
struct RegionIndex<ID: Hashable & Sendable>: Sendable {
  /// Where a region was put.
  enum Registration {
    case full
    case part(Place)
    case parts([Place])
  }

  /// Where a part of a region is.
  struct Place {
    fileprivate var table: Int32
    fileprivate var entry: Int32
  }

  private var tables = Slots<RegionTableIndex<ID>>()
  private var tableNumbers: [TableKey: Int32] = [:]
  private var full: Set<ID> = []

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
    guard let regionTables = region.tables else {
      if full.isEmpty { needsVersion += 1 }
      full.insert(id)
      return .full
    }
    var places: [Place] = []
    for (table, tableRegion) in regionTables {
      need(tableRegion, in: table)
      let number = number(of: table)
      for part in tableRegion.parts {
        let entry = tables[number].insert(part, rowIDName: tableRegion.rowIDName, id)
        places.append(Place(table: number, entry: entry))
      }
    }
    return places.count == 1 ? .part(places[0]) : .parts(places)
  }

  /// Removes a region.
  mutating func remove(_ registration: Registration, _ id: ID) {
    switch registration {
    case .full: if full.remove(id) != nil, full.isEmpty { needsVersion += 1 }
    case .part(let place): remove(place)
    case .parts(let places): places.forEach { remove($0) }
    }
  }

  private mutating func remove(_ place: Place) {
    tables[place.table].remove(place.entry)
    if !tables[place.table].isEmpty { return }
    let table = tables.remove(place.table).key
    tableNumbers[table] = nil
    neededTables[table] = nil
    needsVersion += 1
  }

  /// Calls a closure with the regions that the changes of a commit touch: some of them more than once.
  func match(_ changes: TableCommit, _ hit: (ID) -> Void) {
    full.forEach(hit)
    if let number = tableNumbers[changes.key] { tables[number].match(changes, hit) }
  }

  private mutating func number(of table: TableKey) -> Int32 {
    if let number = tableNumbers[table] { return number }
    let number = tables.insert(RegionTableIndex(key: table))
    tableNumbers[table] = number
    return number
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
    while needs.rowCountMax < 16 * (tableNumbers[table].map { tables[$0].count } ?? 0) { needs.rowCountMax *= 2 }
    if needs == neededTables[table] { return }
    neededTables[table] = needs
    needsVersion += 1
  }
}
