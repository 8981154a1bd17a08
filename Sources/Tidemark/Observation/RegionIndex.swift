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

  /// The columns whose values decide, by table. It grows, and shrinks when a table has no region any more.
  private(set) var neededColumns: [TableKey: Set<String>] = [:]

  /// How many times `neededColumns` has changed.
  private(set) var needsVersion = 0

  /// What must be known of changes: the values of filtered columns, and of all other tables that they have changed.
  var needs: CaptureNeeds {
    CaptureNeeds(
      others: CaptureNeeds.TableNeeds(columns: nil),
      tables: neededColumns.mapValues { columns in
        CaptureNeeds.TableNeeds(columns: nil, values: columns, rows: !columns.isEmpty)
      })
  }

  /// Adds a region.
  mutating func insert(_ region: DatabaseRegion, _ id: ID) -> Registration {
    guard let regionTables = region.tables else {
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
    case .full: full.remove(id)
    case .part(let place): remove(place)
    case .parts(let places): places.forEach { remove($0) }
    }
  }

  private mutating func remove(_ place: Place) {
    tables[place.table].remove(place.entry)
    if !tables[place.table].isEmpty { return }
    let table = tables.remove(place.table).key
    tableNumbers[table] = nil
    neededColumns[table] = nil
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

  private mutating func need(_ region: TableRegion, in table: TableKey) {
    var columns = neededColumns[table] ?? []
    let count = columns.count
    for part in region.parts {
      columns.formUnion(part.rows.columns.keys)
    }
    if columns.count == count, neededColumns[table] != nil { return }
    neededColumns[table] = columns
    needsVersion += 1
  }
}
