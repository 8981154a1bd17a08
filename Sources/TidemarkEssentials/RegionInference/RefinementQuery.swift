/// A query for rows of one table that determines the relevant rows of another one.
///
/// `item JOIN tag ON tag.item = item.id WHERE item.owner = 5` returns only tags of the items of this owner.
/// The probe reads the IDs of these items from the snapshot of the query. A change of the items affects the region of
/// the query in `item`: then the query is fetched again, with a new probe. Other commits do not change the IDs.
///
/// Invariants:
/// 1. The result contains the values of all relevant rows of the one table, and possibly more.
/// 2. It is valid for the snapshot from which it was read, like a `RegionBound`, and is read in the same cases.
/// 3. The rows that determine the relevant rows of a table do not depend on the latter, through any number of tables.
/// 4. The probe uses indexes, and is bounded: a result with too many rows, or one that takes too long, is not used, and
///    the probe is skipped for a while.
struct RefinementQuery: Equatable, Sendable {
  /// The columns whose values are read, and whose rows they determine.
  var equality: RowEquality
  var sql: String

  /// The arguments of the probe.
  var constants: [RowConstant]

  /// The maximum number of rows of a result.
  static let rowsMax = 200
}

/// Finds useful probes.
struct RefinementQueryBuilder {
  private typealias OccurrenceID = RowEquality.OccurrenceID

  private let db: Database
  private let findings: RegionPlan.Findings

  /// The rows of all occurrences, with arbitrary arguments: the rows that are known without a probe.
  private let known: [[ConditionRows]]

  private static let queryCountMax = 4
  private static let stepsMax = 3

  init(_ db: Database, _ findings: RegionPlan.Findings, parameterCount: Int) {
    self.db = db
    self.findings = findings
    let someValues = Array(repeating: DatabaseValue(.int64(1)), count: parameterCount)
    known = findings.rows(ConditionArguments(values: someValues, isTextOrderKnown: findings.isTextOrderKnown))
  }

  func refinementQueries() throws -> [RefinementQuery] {
    var refinementQueries: [RefinementQuery] = []
    // For each occurrence, the occurrences that determine its rows.
    var sources: [OccurrenceID: Set<OccurrenceID>] = [:]
    for (table, rows) in zip(findings.tables, known) {
      for number in rows.indices where refinementQueries.count < Self.queryCountMax {
        let occurrenceID = OccurrenceID(table: table.key, number: number)
        if try sources[occurrenceID] != nil || isNarrow(occurrenceID, rows[number], rowIDName: table.rowIDName) {
          continue
        }
        guard
          let (refinementQuery, path) = try refinementQuery(
            of: occurrenceID, { sources[$0]?.contains(occurrenceID) != true })
        else { continue }
        let determining = path.reduce(into: path) { $0.formUnion(sources[$1] ?? []) }
        sources[occurrenceID] = determining
        for (other, known) in sources where known.contains(occurrenceID) { sources[other] = known.union(determining) }
        refinementQueries.append(refinementQuery)
      }
    }
    return refinementQueries
  }

  /// Whether the rows of an occurrence are few without a probe.
  private func isNarrow(_ occurrenceID: OccurrenceID, _ rows: ConditionRows, rowIDName: String?) throws -> Bool {
    let names = Set(
      findings.equalities.filter { $0.to.occurrenceID == occurrenceID }.map(\.to.column.name) + [rowIDName ?? ""])
    let isBounded = rows.filters.allSatisfy { filter in
      names.contains { if case .values? = filter.columns[$0] { true } else { false } }
    }
    if isBounded { return true }
    return try queryParts([], about: occurrenceID).map(isSearched) ?? false
  }

  /// The probe for an occurrence with the least number of tables.
  private func refinementQuery(
    of occurrenceID: OccurrenceID, _ canLeadTo: (OccurrenceID) -> Bool
  ) throws -> (refinementQuery: RefinementQuery, path: Set<OccurrenceID>)? {
    var paths = findings.equalities.filter { $0.to.occurrenceID == occurrenceID }.map { [$0] }
    for _ in 0..<Self.stepsMax {
      for path in paths where path.allSatisfy({ canLeadTo($0.from.occurrenceID) }) {
        guard let end = path.last,
          let queryParts = queryParts(path.dropFirst().reversed(), about: path[0].from.occurrenceID),
          conditions(of: end.from.occurrenceID).contains(where: \.isEquality), try isSearched(queryParts)
        else { continue }
        let text = queryParts.text("t\(path.count - 1).\(path[0].from.column.name.quotedDatabaseIdentifier)")
        let refinementQuery = RefinementQuery(
          equality: path[0], sql: "\(text) LIMIT \(RefinementQuery.rowsMax + 1)", constants: queryParts.constants)
        return (refinementQuery, Set(path.map(\.from.occurrenceID)))
      }
      paths = paths.flatMap { path in
        let known = path.map(\.to.occurrenceID)
        return findings.equalities.filter {
          $0.to.occurrenceID == path.last?.from.occurrenceID && !known.contains($0.from.occurrenceID)
        }
        .map { path + [$0] }
      }
    }
    return nil
  }

  // MARK: - Probe queries

  private struct QueryParts {
    var sources: [String] = []
    var conditions: [String] = []
    var constants: [RowConstant] = []

    func text(_ result: String) -> String {
      "SELECT \(result) FROM \(sources.joined(separator: ", ")) WHERE \(conditions.joined(separator: " AND "))"
    }

    mutating func add(_ condition: UsableCondition, to alias: String) {
      let column = "\(alias).\(condition.column.name.quotedDatabaseIdentifier)"
      let parameters = condition.constants.map { constant in
        constants.append(constant)
        return "?"
      }
      switch condition.comparison {
      case nil: conditions.append("\(column) IN (\(parameters.joined(separator: ", ")))")
      case let comparison?: conditions.append("\(column) \(comparison) \(parameters[0])")
      }
    }
  }

  /// The query for the matching rows along a path of occurrences, each with its conditions; nil without any
  /// condition.
  private func queryParts(_ path: [RowEquality], about occurrenceID: OccurrenceID) -> QueryParts? {
    var queryParts = QueryParts()
    for (number, current) in (path.map(\.from.occurrenceID) + [occurrenceID]).enumerated() {
      let alias = "t\(number)"
      queryParts.sources.append(
        "\(current.table.database.quotedDatabaseIdentifier).\(current.table.name.quotedDatabaseIdentifier) AS \(alias)")
      if number > 0 {
        let equality = path[number - 1]
        let (from, to) = (equality.from.column.name, equality.to.column.name)
        queryParts.conditions.append(
          "\(alias).\(to.quotedDatabaseIdentifier) = t\(number - 1).\(from.quotedDatabaseIdentifier)")
      }
      for condition in conditions(of: current) { queryParts.add(condition, to: alias) }
    }
    return queryParts.conditions.isEmpty ? nil : queryParts
  }

  /// A condition of the query that has the same meaning in a probe.
  private struct UsableCondition {
    var column: ColumnFacts

    /// The comparison; nil for membership.
    var comparison: String?
    var constants: [RowConstant]

    var isEquality: Bool { comparison == nil || comparison == "=" || comparison == "IS" }
  }

  private func conditions(of occurrenceID: OccurrenceID) -> [UsableCondition] {
    guard let table = findings.tables.first(where: { $0.key == occurrenceID.table }),
      let occurrence = table.occurrences?[occurrenceID.number]
    else { return [] }
    return usable(.all(occurrence.conditionsOfJoinedRows))
  }

  private func usable(_ condition: RowCondition) -> [UsableCondition] {
    switch condition {
    case .all(let conditions):
      return conditions.flatMap(usable)
    case .comparison(let comparison, let column, let constant):
      // The probe uses the collation of the column only.
      guard column.isBinary, column.facts.isBinary, let text = comparison.operatorText else { return [] }
      return [UsableCondition(column: column.facts, comparison: text, constants: [constant])]
    case .membership(let column, let constants):
      guard column.isBinary, column.facts.isBinary else { return [] }
      return [UsableCondition(column: column.facts, constants: constants)]
    case .any, .constant, .expression, .expressionMembership, .computed, .unknown:
      return []
    }
  }

  /// Whether SQLite finds the rows by indexes. C: `EXPLAIN QUERY PLAN`.
  private func isSearched(_ queryParts: QueryParts) throws -> Bool {
    try db.internalRows("EXPLAIN QUERY PLAN \(queryParts.text("1"))").allSatisfy { row in
      row.contains { value in
        guard case .string(let text) = value.storage else { return false }
        return text.hasPrefix("SEARCH") && !text.contains(" AUTOMATIC ")
      }
    }
  }
}

extension ValueComparison {
  /// The operator in a probe; nil for operators that would help little.
  fileprivate var operatorText: String? {
    switch self {
    case .equal: "="
    case .identical: "IS"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .different, .notIdentical: nil
    }
  }
}
