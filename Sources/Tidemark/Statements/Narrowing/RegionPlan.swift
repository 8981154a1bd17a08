/// What a statement reads, as far as it can be said before its arguments are known.
///
/// It is made once for a compiled statement, and gives a region for each execution.
final class RegionPlan {
  /// A table that the authorizer was asked about.
  struct ReadTable {
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

  private let tables: [ReadTable]

  /// What is read besides: behind virtual tables.
  private let rest: DatabaseRegion

  /// By name of column, the numbers of its mentions.
  private let mentions: [String: Set<Int>]

  private let isTextOrderKnown: Bool

  /// The region, where no argument changes it.
  private var constantRegion: DatabaseRegion?
  private let isConstant: Bool

  init(
    tables: [ReadTable], rest: DatabaseRegion, mentions: [String: Set<Int>], isTextOrderKnown: Bool,
    parameterCount: Int
  ) {
    self.tables = tables
    self.rest = rest
    self.mentions = mentions
    self.isTextOrderKnown = isTextOrderKnown
    isConstant = parameterCount == 0 || tables.allSatisfy { $0.occurrences?.contains { !$0.isUnconditional } != true }
  }

  /// The plan of what reads nothing.
  static var empty: RegionPlan {
    RegionPlan(tables: [], rest: DatabaseRegion(), mentions: [:], isTextOrderKnown: true, parameterCount: 0)
  }

  /// What an execution reads.
  ///
  /// - parameter values: The values of the parameters; nil when there are none yet.
  func region(_ values: [DatabaseValue]?) -> DatabaseRegion {
    if let constantRegion { return constantRegion }
    let arguments = ConditionArguments(values: values, isTextOrderKnown: isTextOrderKnown)
    let rows = tables.map { table in table.occurrences?.map { $0.rows(arguments) } ?? [.unknown] }
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
    let region = DatabaseRegion(tables: regions).union(rest)
    if isConstant { constantRegion = region }
    return region
  }

  /// The columns that are mentioned in conditions alone, and in such that the row filters say exactly.
  private func filteringColumns(of table: ReadTable, _ exactMentions: Set<Int>) -> Set<String> {
    guard !exactMentions.isEmpty, let columns = table.part.columns else { return [] }
    return Set(
      columns.keys.filter { name in
        name != table.rowIDName && mentions[name].map { $0.isSubset(of: exactMentions) } ?? false
      })
  }
}
