/// The region of a statement, as far as it is known without its arguments.
///
/// It is computed once per compiled statement, and yields a region for each execution. Equal plans yield equal regions.
final class RegionPlan: Equatable, Sendable {
  /// A table that the authorizer has reported.
  struct ReadTable: Equatable, Sendable {
    var key: TableKey
    var part: TableRegion.Part
    var rowIDName: String?

    /// Its occurrences; nil if they are unknown.
    var occurrences: [RowOccurrence]?

    /// The possible rows of a filter: a row ID is never NULL.
    func possible(_ rows: RowFilter) -> RowFilter {
      guard let rowIDName, rows.columns[rowIDName] != nil else { return rows }
      return rows.intersection(RowFilter([rowIDName: .range(ValueRange())]))
    }
  }

  /// The findings about a statement.
  struct Findings: Equatable {
    var tables: [ReadTable] = []

    /// Further regions: tables behind virtual tables.
    var rest = DatabaseRegion()

    /// The numbers of the mentions of each column name.
    var mentions: [String: Set<Int>] = [:]

    /// Whether texts are sorted by their UTF-8 bytes.
    var isTextOrderKnown = true

    /// The bound of the rows in the result; nil if it is unknown.
    var bound: RegionBound?

    /// The occurrences with equal values.
    var equalities: [RowEquality] = []

    /// Queries for the values of columns of joined tables.
    var refinementQueries: [RefinementQuery] = []
  }

  /// The parsed text of the statement; nil if it is not supported.
  let query: ParsedQuery?

  let findings: Findings
  private let parameterCount: Int

  /// The region, if it does not depend on arguments.
  private let constantRegion: DatabaseRegion?

  init(_ findings: Findings, query: ParsedQuery? = nil, parameterCount: Int = 0) {
    self.query = query
    self.findings = findings
    self.parameterCount = parameterCount
    let isConstant =
      parameterCount == 0 || findings.tables.allSatisfy { $0.occurrences?.contains { !$0.isUnconditional } != true }
    constantRegion = isConstant ? findings.region(nil) : nil
  }

  static func == (one: RegionPlan, other: RegionPlan) -> Bool {
    one === other || one.findings == other.findings && one.constantRegion == other.constantRegion
  }

  /// Whether the region depends on the arguments.
  var dependsOnArguments: Bool {
    constantRegion == nil || parameterCount > 0 && (findings.bound != nil || !findings.refinementQueries.isEmpty)
  }

  /// The number of rows that an execution must return to have a bound; nil without a bound.
  func rowCountOfBound(_ values: [DatabaseValue]?) -> Int? {
    findings.bound?.rowCount(ConditionArguments(values: values, isTextOrderKnown: findings.isTextOrderKnown))
  }

  /// The region of an execution.
  ///
  /// - Parameter values: The values of the parameters; nil if they are not known yet.
  /// - Parameter refinement: The values that were found in the rows of the snapshot.
  func region(_ values: [DatabaseValue]?, _ refinement: RegionRefinement = .unrefined) -> DatabaseRegion {
    if case .unrefined = refinement, let constantRegion { return constantRegion }
    return findings.region(values, refinement)
  }
}

extension RegionPlan.Findings {
  /// The rows of each occurrence of each table.
  func rows(_ arguments: ConditionArguments, _ refinement: RegionRefinement = .unrefined) -> [[ConditionRows]] {
    var rows = tables.map { table in table.occurrences?.map { $0.rows(arguments) } ?? [.unknown] }
    // A filter of one column may imply a filter of the next one.
    for _ in equalities.prefix(6) where !transfer(&rows) { break }
    switch refinement {
    case .unrefined:
      break
    case .bound(let values):
      if let bound, let occurrenceID = tables.firstIndex(where: { $0.key == bound.table }),
        rows[occurrenceID].count == 1
      {
        rows[occurrenceID] = rows[occurrenceID].map { bound.rows($0, upTo: values, arguments) }
      }
    case .linked(let found):
      for (refinementQuery, values) in zip(refinementQueries, found) {
        guard let values, let occurrenceID = index(of: refinementQuery.equality.to.occurrenceID) else { continue }
        // Not propagated: the region from which the values come must not depend on them.
        rows[occurrenceID.table][occurrenceID.number] = refinementQuery.equality.rows(
          rows[occurrenceID.table][occurrenceID.number], having: values)
      }
    }
    // The authorizer may have reported a table with the name of its database, and without.
    for (number, table) in tables.enumerated() where table.occurrences != nil {
      if let first = tables.firstIndex(where: { $0.key == table.key && $0.occurrences != nil }) {
        rows[number] = rows[first]
      }
    }
    return rows
  }

  /// - Returns: Whether a filter was added.
  private func transfer(_ rows: inout [[ConditionRows]]) -> Bool {
    var isNew = false
    for equality in equalities {
      guard let from = index(of: equality.from.occurrenceID), let to = index(of: equality.to.occurrenceID) else {
        continue
      }
      let known = rows[to.table][to.number]
      let narrowed = equality.transfer(rows[from.table][from.number], to: known)
      if narrowed.filters == known.filters { continue }
      rows[to.table][to.number] = narrowed
      isNew = true
    }
    return isNew
  }

  /// The indexes of an occurrence in the rows.
  private func index(of occurrenceID: RowEquality.OccurrenceID) -> (table: Int, number: Int)? {
    guard let table = tables.firstIndex(where: { $0.key == occurrenceID.table && $0.occurrences != nil }),
      tables[table].occurrences?.indices.contains(occurrenceID.number) == true
    else { return nil }
    return (table, occurrenceID.number)
  }

  fileprivate func region(_ values: [DatabaseValue]?, _ refinement: RegionRefinement = .unrefined) -> DatabaseRegion {
    let arguments = ConditionArguments(values: values, isTextOrderKnown: isTextOrderKnown)
    let rows = rows(arguments, refinement)
    let inexactMentions = rows.joined().reduce(into: Set<Int>()) { $0.formUnion($1.inexactMentions) }
    let exactMentions = rows.joined().reduce(into: Set<Int>()) { $0.formUnion($1.mentions) }.subtracting(
      inexactMentions)
    var regions: [TableKey: TableRegion] = [:]
    for (table, rows) in zip(tables, rows) {
      var part = table.part
      part.filteringColumns = filteringColumns(of: table, exactMentions)
      let parts = rows.flatMap { rows in rows.filters.map { part.with(rows: table.possible($0)) } }
      let region = TableRegion(parts: parts, rowIDName: table.rowIDName)
      regions[table.key] = regions[table.key]?.union(region) ?? region
    }
    return DatabaseRegion(tables: regions).union(rest)
  }

  /// The columns that are only mentioned in conditions that the row filters represent exactly.
  private func filteringColumns(of table: RegionPlan.ReadTable, _ exactMentions: Set<Int>) -> Set<String> {
    guard !exactMentions.isEmpty, let columns = table.part.columns else { return [] }
    return Set(
      columns.keys.filter { name in
        name != table.rowIDName && mentions[name].map { $0.isSubset(of: exactMentions) } ?? false
      })
  }
}
