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
struct RegionProbe: Equatable, Sendable {
  /// The columns whose values are read, and whose rows they determine.
  var equality: RowEquality
  var sql: String

  /// The arguments of the probe.
  var constants: [RowConstant]

  /// The maximum number of rows of a result.
  static let rowsMax = 200
}

/// Finds useful probes.
struct RegionProbeBuilder {
  private typealias Place = RowEquality.Place

  private let db: Database
  private let findings: RegionPlan.Findings

  /// The rows of all occurrences, with arbitrary arguments: the rows that are known without a probe.
  private let known: [[ConditionRows]]

  private static let probesMax = 4
  private static let stepsMax = 3

  init(_ db: Database, _ findings: RegionPlan.Findings, parameterCount: Int) {
    self.db = db
    self.findings = findings
    let someValues = Array(repeating: DatabaseValue(.int64(1)), count: parameterCount)
    known = findings.rows(ConditionArguments(values: someValues, isTextOrderKnown: findings.isTextOrderKnown))
  }

  func probes() throws -> [RegionProbe] {
    var probes: [RegionProbe] = []
    // For each occurrence, the occurrences that determine its rows.
    var sources: [Place: Set<Place>] = [:]
    for (table, rows) in zip(findings.tables, known) {
      for number in rows.indices where probes.count < Self.probesMax {
        let place = Place(table: table.key, number: number)
        if try sources[place] != nil || isNarrow(place, rows[number], rowIDName: table.rowIDName) { continue }
        guard let (probe, path) = try probe(of: place, { sources[$0]?.contains(place) != true }) else { continue }
        sources[place] = path.reduce(into: path) { $0.formUnion(sources[$1] ?? []) }
        for (other, known) in sources where known.contains(place) {
          sources[other] = known.union(sources[place] ?? [])
        }
        probes.append(probe)
      }
    }
    return probes
  }

  /// Whether the rows of an occurrence are few without a probe.
  private func isNarrow(_ place: Place, _ rows: ConditionRows, rowIDName: String?) throws -> Bool {
    let names = Set(findings.equalities.filter { $0.to.place == place }.map(\.to.column.name) + [rowIDName ?? ""])
    let isTold = rows.filters.allSatisfy { filter in
      names.contains { if case .values? = filter.columns[$0] { true } else { false } }
    }
    if isTold { return true }
    return try question([], about: place).map(isSearched) ?? false
  }

  /// The probe for an occurrence with the least number of tables.
  private func probe(
    of place: Place, _ mayTell: (Place) -> Bool
  ) throws -> (probe: RegionProbe, path: Set<Place>)? {
    var paths = findings.equalities.filter { $0.to.place == place }.map { [$0] }
    for _ in 0..<Self.stepsMax {
      for path in paths where path.allSatisfy({ mayTell($0.from.place) }) {
        guard let end = path.last, let question = question(path.dropFirst().reversed(), about: path[0].from.place),
          conditions(of: end.from.place).contains(where: \.isEquality), try isSearched(question)
        else { continue }
        let text = question.text("t\(path.count - 1).\(path[0].from.column.name.quotedDatabaseIdentifier)")
        let probe = RegionProbe(
          equality: path[0], sql: "\(text) LIMIT \(RegionProbe.rowsMax + 1)", constants: question.constants)
        return (probe, Set(path.map(\.from.place)))
      }
      paths = paths.flatMap { path in
        let known = path.map(\.to.place)
        return findings.equalities.filter { $0.to.place == path.last?.from.place && !known.contains($0.from.place) }
          .map { path + [$0] }
      }
    }
    return nil
  }

  // MARK: - Probe queries

  private struct Question {
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
  private func question(_ path: [RowEquality], about place: Place) -> Question? {
    var question = Question()
    for (number, current) in (path.map(\.from.place) + [place]).enumerated() {
      let alias = "t\(number)"
      question.sources.append(
        "\(current.table.database.quotedDatabaseIdentifier).\(current.table.name.quotedDatabaseIdentifier) AS \(alias)")
      if number > 0 {
        let equality = path[number - 1]
        let (from, to) = (equality.from.column.name, equality.to.column.name)
        question.conditions.append(
          "\(alias).\(to.quotedDatabaseIdentifier) = t\(number - 1).\(from.quotedDatabaseIdentifier)")
      }
      for condition in conditions(of: current) { question.add(condition, to: alias) }
    }
    return question.conditions.isEmpty ? nil : question
  }

  /// A condition of the query that has the same meaning in a probe.
  private struct UsableCondition {
    var column: ColumnFacts

    /// The comparison; nil for membership.
    var comparison: String?
    var constants: [RowConstant]

    var isEquality: Bool { comparison == nil || comparison == "=" || comparison == "IS" }
  }

  private func conditions(of place: Place) -> [UsableCondition] {
    guard let table = findings.tables.first(where: { $0.key == place.table }),
      let occurrence = table.occurrences?[place.number]
    else { return [] }
    let all = RowCondition.all(occurrence.conditions + [occurrence.joinCondition].compactMap { $0 })
    return usable(all)
  }

  private func usable(_ condition: RowCondition) -> [UsableCondition] {
    switch condition {
    case .all(let conditions):
      return conditions.flatMap(usable)
    case .comparison(let comparison, let column, let constant):
      // The probe uses the collation of the column only.
      guard column.isBinary, column.facts.isBinary, let text = comparison.probeText else { return [] }
      return [UsableCondition(column: column.facts, comparison: text, constants: [constant])]
    case .membership(let column, let constants):
      guard column.isBinary, column.facts.isBinary else { return [] }
      return [UsableCondition(column: column.facts, constants: constants)]
    case .any, .constant, .computed, .unknown:
      return []
    }
  }

  /// Whether SQLite finds the rows by indexes. C: `EXPLAIN QUERY PLAN`.
  private func isSearched(_ question: Question) throws -> Bool {
    try db.internalRows("EXPLAIN QUERY PLAN \(question.text("1"))").allSatisfy { row in
      guard row.count > 3, case .string(let text) = row[3].storage else { return false }
      return text.hasPrefix("SEARCH") && !text.contains(" AUTOMATIC ")
    }
  }
}

extension ValueComparison {
  /// The operator in a probe; nil for operators that would help little.
  fileprivate var probeText: String? {
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
