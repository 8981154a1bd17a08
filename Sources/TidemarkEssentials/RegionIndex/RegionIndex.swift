/// Finds the regions that a commit affects, among many.
///
/// It maps tables, columns and values to the parts of regions with filters on these values, so that the cost of a
/// commit depends on its changes, and not on the number of unaffected regions:
///
///     table -+- columns that are read -> parts of the whole table
///            +- column -+- value  -> parts with `column = value`, `column IN (…)`
///                       +- ranges -> parts with `column < value`, `BETWEEN` …
///
/// For a filter on several columns, one column is chosen to find the part; the part is then tested with the whole row.
///
/// Invariant: exactly the affected regions are found, as `DatabaseRegion.isModified(by:)` would find them one by
/// one, if rows are reported. For a table without reported rows, all regions are
/// found that read something that has changed.
///
/// It is a class, which its owner protects: parts of a structure would be copied during lookups.
final class RegionIndex<ID: Hashable & Sendable>: @unchecked Sendable {
  /// The location of a region in the index.
  enum Registration: Sendable {
    case full
    case part(PartLocation)
    case parts([PartLocation])
  }

  /// The location of a part of a region.
  struct PartLocation: Sendable {
    fileprivate var table: Int32
    fileprivate var entry: Int32
  }

  /// The least limit of rows that are reported per transaction, if any are.
  private let rowCountMin: Int

  /// Capturing more rows per part costs more than fetching a small query once.
  private static var rowCountPerPart: Int { 4 }

  private var tables = Slots<RegionTableIndex<ID>>()
  private var tableNumbers: [TableKey: Int32] = [:]

  /// The table of the last lookup: most commits change the same one.
  private var lastMatch: RegionTableIndex<ID>?
  private var full: Set<ID> = []

  /// The needs for the tables. They grow, and shrink when a table has no regions any more.
  private(set) var neededTables: [TableKey: CaptureNeeds.TableNeeds] = [:]

  /// Incremented with each change of `needs`.
  private(set) var needsVersion = 0

  /// - Parameter rowCountMin: The number of changed rows of a table that every transaction may report. A transaction
  ///   that changes more rows reports tables without rows, unless there are many regions.
  init(rowCountMin: Int = 2_000) { self.rowCountMin = rowCountMin }

  /// The required information about changes: none for tables without a region, unless there is a region of the full
  /// database; then all changes of any table.
  var needs: CaptureNeeds {
    let otherTables = full.isEmpty ? nil : CaptureNeeds.TableNeeds(columns: nil)
    return CaptureNeeds(otherTables: otherTables, tables: neededTables.mapValues { otherTables?.union($0) ?? $0 })
  }

  /// Adds a region.
  ///
  /// - Parameter reportsRows: Whether the changed rows must be reported.
  func insert(_ region: DatabaseRegion, _ id: ID, reportsRows: Bool = false) -> Registration {
    guard let regionTables = region.tables else {
      if full.isEmpty { needsVersion += 1 }
      full.insert(id)
      return .full
    }
    var locations: [PartLocation] = []
    for (table, tableRegion) in regionTables {
      let number = number(of: table)
      need(tableRegion, in: table, number, reportsRows)
      for part in tableRegion.parts {
        let entry = tables[number].insert(part, rowIDName: tableRegion.rowIDName, id)
        locations.append(PartLocation(table: number, entry: entry))
      }
    }
    return locations.count == 1 ? .part(locations[0]) : .parts(locations)
  }

  /// Removes a region.
  func remove(_ registration: Registration, _ id: ID) {
    switch registration {
    case .full: if full.remove(id) != nil, full.isEmpty { needsVersion += 1 }
    case .part(let location): remove(location)
    case .parts(let locations): locations.forEach { remove($0) }
    }
  }

  private func remove(_ location: PartLocation) {
    tables[location.table].remove(location.entry)
    if !tables[location.table].isEmpty { return }
    lastMatch = nil
    let table = tables.remove(location.table).key
    tableNumbers[table] = nil
    neededTables[table] = nil
    needsVersion += 1
  }

  /// Calls a closure with the regions that the changes of a commit affect: some of them more than once.
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

  /// Adds the relevant columns, the columns with filters, and a limit of rows: capturing more
  /// would cost more than notifying all regions of the table unnecessarily.
  private func need(_ region: TableRegion, in table: TableKey, _ number: Int32, _ reportsRows: Bool) {
    let index = tables[number]
    if let known = neededTables[table], known.rows || !reportsRows,
      known.rowCountMax >= Self.rowCountPerPart * index.count,
      region.parts.allSatisfy({ index.resemblesLast($0, rowIDName: region.rowIDName) })
    {
      return
    }
    var needs = neededTables[table] ?? CaptureNeeds.TableNeeds(columns: [], rowCountMax: rowCountMin)
    for part in region.parts {
      for name in part.rows.columnNames where needs.values?.contains(name) == false { needs.values?.insert(name) }
      let deciding = part.decidingColumns(rowIDName: region.rowIDName)
      if let known = needs.columns, deciding?.isSubset(of: known) != true { needs.columns = deciding.map(known.union) }
    }
    needs.rows = needs.rows || reportsRows || needs.values?.isEmpty == false
    // In large steps, so that most regions do not change the needs.
    while needs.rowCountMax < Self.rowCountPerPart * index.count { needs.rowCountMax *= 2 }
    if needs == neededTables[table] { return }
    neededTables[table] = needs
    needsVersion += 1
  }
}
