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
///
/// It is an object, whose owner guards it: parts of it would be copied to be asked.
final class RegionIndex<ID: Hashable & Sendable>: @unchecked Sendable {
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

  /// How many rows of a transaction are told at least, if any are.
  static var rowCountMin: Int { 2_000 }

  /// So many rows cost more to capture than to fetch a small query once.
  private static var rowCountPerPart: Int { 4 }

  @exclusivity(unchecked) private var tables = Slots<RegionTableIndex<ID>>()
  @exclusivity(unchecked) private var tableNumbers: [TableKey: Int32] = [:]

  /// The table that was matched last: most commits change the same one.
  @exclusivity(unchecked) private var lastMatch: RegionTableIndex<ID>?
  @exclusivity(unchecked) private var full: Set<ID> = []

  /// What is needed of the tables. It grows, and shrinks when a table has no region any more.
  private(set) var neededTables: [TableKey: CaptureNeeds.TableNeeds] = [:]

  /// How many times `needs` have changed.
  private(set) var needsVersion = 0

  init() {}

  /// What must be known of changes: of tables of no region nothing, unless there is a region of the full database; then
  /// all of any table is of interest.
  var needs: CaptureNeeds {
    let others = full.isEmpty ? nil : CaptureNeeds.TableNeeds(columns: nil)
    return CaptureNeeds(others: others, tables: neededTables.mapValues { others?.union($0) ?? $0 })
  }

  /// Adds a region.
  ///
  /// - parameter tellsRows: Whether it must be known which rows have changed.
  func insert(_ region: DatabaseRegion, _ id: ID, tellsRows: Bool = false) -> Registration {
    guard let regionTables = region.tables else {
      if full.isEmpty { needsVersion += 1 }
      full.insert(id)
      return .full
    }
    var places: [Place] = []
    for (table, tableRegion) in regionTables {
      let number = number(of: table)
      need(tableRegion, in: table, number, tellsRows)
      for part in tableRegion.parts {
        let entry = tables[number].insert(part, rowIDName: tableRegion.rowIDName, id)
        places.append(Place(table: number, entry: entry))
      }
    }
    return places.count == 1 ? .part(places[0]) : .parts(places)
  }

  /// Removes a region.
  func remove(_ registration: Registration, _ id: ID) {
    switch registration {
    case .full: if full.remove(id) != nil, full.isEmpty { needsVersion += 1 }
    case .part(let place): remove(place)
    case .parts(let places): places.forEach { remove($0) }
    }
  }

  private func remove(_ place: Place) {
    tables[place.table].remove(place.entry)
    if !tables[place.table].isEmpty { return }
    lastMatch = nil
    let table = tables.remove(place.table).key
    tableNumbers[table] = nil
    neededTables[table] = nil
    needsVersion += 1
  }

  /// Calls a closure with the regions that the changes of a commit touch: some of them more than once.
  func match(_ changes: TableCommit, _ hit: (ID) -> Void) {
    if !full.isEmpty { full.forEach(hit) }
    if let last = lastMatch, last.key == changes.key { return last.match(changes, hit) }
    guard let number = tableNumbers[changes.key] else { return }
    lastMatch = tables[number]
    tables[number].match(changes, hit)
  }

  private func number(of table: TableKey) -> Int32 {
    if let number = tableNumbers[table] { return number }
    let number = tables.insert(RegionTableIndex(key: table))
    tableNumbers[table] = number
    return number
  }

  /// The columns whose changes matter, the values of those that are filtered, and so many rows that to capture one
  /// more would cost more than to wake all regions of the table for nothing.
  private func need(_ region: TableRegion, in table: TableKey, _ number: Int32, _ tellsRows: Bool) {
    let index = tables[number]
    if let known = neededTables[table], known.rows || !tellsRows,
      known.rowCountMax >= Self.rowCountPerPart * index.count,
      region.parts.allSatisfy({ index.resemblesLast($0, rowIDName: region.rowIDName) })
    {
      return
    }
    var needs = neededTables[table] ?? CaptureNeeds.TableNeeds(columns: [], rowCountMax: Self.rowCountMin)
    for part in region.parts {
      for name in part.rows.columnNames where needs.values?.contains(name) == false { needs.values?.insert(name) }
      let deciding = part.decidingColumns(rowIDName: region.rowIDName)
      if let known = needs.columns, deciding?.isSubset(of: known) != true { needs.columns = deciding.map(known.union) }
    }
    needs.rows = needs.rows || tellsRows || needs.values?.isEmpty == false
    // In large steps: most regions change nothing of what is needed.
    while needs.rowCountMax < Self.rowCountPerPart * index.count { needs.rowCountMax *= 2 }
    if needs == neededTables[table] { return }
    neededTables[table] = needs
    needsVersion += 1
  }
}
