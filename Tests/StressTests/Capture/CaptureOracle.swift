import Tidemark
@testable import TidemarkEssentials

/// Compares the reported changes of a commit with the content of the database before and after it.
struct CaptureOracle {
  private(set) var problems: [String] = []

  /// The number of compared rows and tables, and the number of tables reported without rows.
  private(set) var rowCount = 0
  private(set) var coarseCount = 0

  /// The tables reported without rows for no reason known to the oracle. Such a report misses no change, but covers
  /// more than the changes: once in a hundred thousand transactions at the last count.
  private(set) var needlesslyCoarse: [String] = []

  private struct State {
    var rows: [CaptureDump.RowIdentity: [String: DatabaseValue]]
    var table: CaptureDump.Table
  }

  /// - Parameter needs: The requested changes.
  /// - Parameter mayBeCoarse: Whether the transaction includes changes whose rows cannot be reported.
  mutating func check(
    _ reports: [CommittedChanges], _ before: CaptureDump, _ after: CaptureDump, needs: CaptureNeeds = .all,
    mayBeCoarse: Bool
  ) {
    if reports.contains(where: \.isUnknown) {
      coarseCount += 1
      if !mayBeCoarse { problems.append("a commit was reported as unknown") }
      return
    }
    var states = before.tables.mapValues { State(rows: $0.rows, table: $0) }
    let altered = Set(reports.flatMap(\.schemaChanges).map { TableKey($0.name, in: $0.database) })
    let coarse = Set(reports.flatMap(\.tables).filter(\.isCoarse).map(\.key))
    let coarseTables = coarse.filter { before.virtualTables[$0] == nil && needs.needs(of: $0)?.wantsRows == true }
    coarseCount += coarseTables.count
    if !coarseTables.isEmpty, !mayBeCoarse { needlesslyCoarse.append("reported without rows: \(coarseTables)") }
    // Renamed and new tables have no rows to compare with.
    for change in reports.flatMap(\.rows) where !altered.contains(change.table) && after.tables[change.table] != nil {
      rowCount += 1
      guard var state = states[change.table] else {
        // The table was created in the transaction.
        continue
      }
      apply(change, to: &state)
      states[change.table] = state
    }
    for (key, state) in states where !altered.contains(key) && !coarse.contains(key) {
      guard let requested = needs.needs(of: key) else { continue }
      if !requested.wantsRows {
        checkIsReported(reports, before.tables[key], after.tables[key], key)
        continue
      }
      guard let expected = after.tables[key], expected.columns == state.table.columns else { continue }
      compare(state.rows, expected.rows, key)
    }
    let reports = Set(reports.flatMap(\.tables).map(\.key))
    for (key, rows) in after.virtualTables where before.virtualTables[key].map({ $0 != rows }) == true {
      if needs.needs(of: key) == nil { continue }
      if !reports.contains(key) { problems.append("virtual table \(key) has changed, and is not reported") }
    }
    for key in reports where before.virtualTables[key] != nil && altered.isEmpty {
      if before.virtualTables[key] == nil { problems.append("virtual table \(key) is reported, and does not exist") }
    }
  }

  /// Checks that a table is reported as changed, if its rows are not requested.
  private mutating func checkIsReported(
    _ reports: [CommittedChanges], _ before: CaptureDump.Table?, _ after: CaptureDump.Table?, _ key: TableKey
  ) {
    guard let before, let after, before.columns == after.columns else { return }
    let isReported = reports.contains { $0.tables.contains { $0.key == key } }
    func words(_ table: CaptureDump.Table) -> [String: [String: String]] {
      Dictionary(uniqueKeysWithValues: table.rows.map { ($0.words, $1.mapValues { CaptureDump.words($0) }) })
    }
    if !isReported, words(before) != words(after) { problems.append("\(key) has changed, and is not reported") }
  }

  private mutating func apply(_ change: RowChange, to state: inout State) {
    let keys = state.table.keyColumns
    if let old = change.old {
      let identity = CaptureDump.identity(old.rowID, old.values, keys)
      if let known = state.rows.removeValue(forKey: identity) {
        for column in state.table.columns where known[column] != nil {
          let (own, reports) = (CaptureDump.words(known[column]), CaptureDump.words(old.value(of: column)))
          if reports != "?", own != reports {
            problems.append("\(change.table) \(identity.words).\(column): old \(reports) instead of \(own)")
          }
        }
      } else {
        problems.append("\(change.kind) of a row that is not in \(change.table): \(identity.words)")
      }
    }
    if let new = change.new {
      let identity = CaptureDump.identity(new.rowID, new.values, keys)
      if state.rows.updateValue(new.values, forKey: identity) != nil {
        problems.append("\(change.kind) of a row that is in \(change.table) already: \(identity.words)")
      }
    }
    if let old = change.old, let new = change.new { checkChangedColumns(change, old, new, state.table) }
  }

  private mutating func checkChangedColumns(
    _ change: RowChange, _ old: RowImage, _ new: RowImage, _ table: CaptureDump.Table
  ) {
    guard let reports = change.changedColumns else { return problems.append("\(change.table): any column changed") }
    if reports.isEmpty { problems.append("\(change.table): an update of nothing") }
    for column in table.columns {
      guard let first = old.value(of: column), let second = new.value(of: column) else { continue }
      if (CaptureDump.words(first) != CaptureDump.words(second)) != reports.contains(column) {
        problems.append("\(change.table).\(column) is among \(reports), or is not, against its values")
      }
    }
  }

  private mutating func compare(
    _ folded: [CaptureDump.RowIdentity: [String: DatabaseValue]],
    _ expected: [CaptureDump.RowIdentity: [String: DatabaseValue]], _ key: TableKey
  ) {
    for (identity, values) in expected {
      guard let row = folded[identity] else {
        problems.append("\(key) \(identity.words) is missing")
        continue
      }
      for (column, value) in values where row[column] != nil {
        if CaptureDump.words(value) != CaptureDump.words(row[column]) {
          problems.append(
            "\(key) \(identity.words).\(column): \(CaptureDump.words(row[column])) instead of "
              + CaptureDump.words(value))
        }
      }
    }
    for identity in folded.keys where expected[identity] == nil {
      problems.append("\(key) \(identity.words) is reported, and does not exist")
    }
  }
}
