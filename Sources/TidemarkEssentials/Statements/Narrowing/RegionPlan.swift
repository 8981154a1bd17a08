/// What a statement reads, as far as it can be said before its arguments are known.
///
/// It is made once for a compiled statement, and gives a region for each execution: two that are equal give the same.
final class RegionPlan: Equatable, Sendable {
  /// A table that the authorizer was asked about.
  struct ReadTable: Equatable, Sendable {
    var key: TableKey
    var part: TableRegion.Part
    var rowIDName: String?

    /// Where it is read; nil when that is not known.
    var occurrences: [RowOccurrence]?

    /// The rows of a filter that there can be: a row id is never NULL.
    func possible(_ rows: RowFilter) -> RowFilter {
      guard let rowIDName, rows.columns[rowIDName] != nil else { return rows }
      return rows.intersection(RowFilter([rowIDName: .range(ValueRange())]))
    }
  }

  /// What was found out of a statement.
  struct Findings: Equatable {
    var tables: [ReadTable] = []

    /// What is read besides: behind virtual tables.
    var rest = DatabaseRegion()

    /// By name of column, the numbers of its mentions.
    var mentions: [String: Set<Int>] = [:]

    /// Whether texts are sorted by the bytes of their UTF-8.
    var isTextOrderKnown = true

    /// Where the rows end that may be shown; nil when that is not known.
    var bound: RegionBound?
  }

  private let findings: Findings
  private let parameterCount: Int

  /// The region, where no argument changes it.
  private let constantRegion: DatabaseRegion?

  init(_ findings: Findings, parameterCount: Int) {
    self.findings = findings
    self.parameterCount = parameterCount
    let isConstant =
      parameterCount == 0 || findings.tables.allSatisfy { $0.occurrences?.contains { !$0.isUnconditional } != true }
    constantRegion = isConstant ? findings.region(nil) : nil
  }

  static func == (one: RegionPlan, other: RegionPlan) -> Bool {
    one === other || one.findings == other.findings && one.constantRegion == other.constantRegion
  }

  /// Whether the arguments change what is read.
  var dependsOnArguments: Bool { constantRegion == nil || bound != nil && parameterCount > 0 }

  var bound: RegionBound? { findings.bound }

  /// How many rows an execution must show to have a bound; nil when it has none.
  func rowCountOfBound(_ values: [DatabaseValue]?) -> Int? {
    findings.bound?.rowCount(ConditionArguments(values: values, isTextOrderKnown: findings.isTextOrderKnown))
  }

  /// The plan of what reads nothing.
  static var empty: RegionPlan {
    RegionPlan(Findings(), parameterCount: 0)
  }

  /// What an execution reads.
  ///
  /// - parameter values: The values of the parameters; nil when there are none yet.
  /// - parameter bound: The value behind which no row matters; nil when all do.
  func region(_ values: [DatabaseValue]?, bound: DatabaseValue? = nil) -> DatabaseRegion {
    if bound == nil, let constantRegion { return constantRegion }
    return findings.region(values, boundValue: bound)
  }
}

extension RegionPlan.Findings {
  fileprivate func region(_ values: [DatabaseValue]?, boundValue: DatabaseValue? = nil) -> DatabaseRegion {
    let arguments = ConditionArguments(values: values, isTextOrderKnown: isTextOrderKnown)
    var rows = tables.map { table in table.occurrences?.map { $0.rows(arguments) } ?? [.unknown] }
    if let bound, let boundValue, let boundRows = bound.rows(boundValue, arguments),
      let place = tables.firstIndex(where: { $0.key == bound.table }), rows[place].count == 1
    {
      rows[place] = rows[place].map { $0.intersection(boundRows) }
    }
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

  /// The columns that are mentioned in conditions alone, and in such that the row filters say exactly.
  private func filteringColumns(of table: RegionPlan.ReadTable, _ exactMentions: Set<Int>) -> Set<String> {
    guard !exactMentions.isEmpty, let columns = table.part.columns else { return [] }
    return Set(
      columns.keys.filter { name in
        name != table.rowIDName && mentions[name].map { $0.isSubset(of: exactMentions) } ?? false
      })
  }
}
