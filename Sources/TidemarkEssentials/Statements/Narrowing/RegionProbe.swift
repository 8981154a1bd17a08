/// A question about the rows of one table that tells which rows of another one matter.
///
/// `item JOIN tag ON tag.item = item.id WHERE item.owner = 5` shows tags of the items of this owner, and of no others.
/// Which items these are is asked in the state that the query reads. Whoever changes them touches what the query reads
/// of `item`: then it is fetched again, and asks again. All other commits leave the answer as it is.
///
/// Laws:
/// 1. The answer has the values of all rows of the one table that matter, and perhaps more.
/// 2. It holds for the state that it was read from, as a `RegionBound` does, and is asked for where one is.
/// 3. What tells which rows of a table matter does not depend on these rows, however many tables are between.
/// 4. It is found by indexes, and bounded: what has too many rows, or takes too long to find, is not used, and is not
///    asked for again for a while.
struct RegionProbe: Equatable, Sendable {
  /// Whose values are asked for, and whose rows they tell.
  var equality: RowEquality
  var sql: String

  /// The arguments of the question.
  var constants: [RowConstant]

  /// How many rows an answer has at most.
  static let rowsMax = 200
}

/// Finds the questions that help.
struct RegionProbeBuilder {
  private typealias Place = RowEquality.Place

  private let db: Database
  private let findings: RegionPlan.Findings

  /// The rows of all occurrences, if each argument had some value: what is known without a question.
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
    // By occurrence, those that tell its rows.
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

  /// Whether the rows of an occurrence are few without a question.
  private func isNarrow(_ place: Place, _ rows: ConditionRows, rowIDName: String?) throws -> Bool {
    let names = Set(findings.equalities.filter { $0.to.place == place }.map(\.to.column.name) + [rowIDName ?? ""])
    let isTold = rows.filters.allSatisfy { filter in
      names.contains { if case .values? = filter.columns[$0] { true } else { false } }
    }
    if isTold { return true }
    return try question([], about: place).map(isSearched) ?? false
  }

  /// The question that leads to an occurrence by the fewest tables.
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

  // MARK: - Questions

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

  /// The rows of an occurrence that have equals in others, from the first one on, each with its conditions; nil when
  /// there is no condition.
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

  /// A condition of the query that means the same in a question.
  private struct UsableCondition {
    var column: ColumnFacts

    /// Nil for membership.
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
      // The question has no collation but that of the column.
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
  /// The operator in a question; nil where it would help little.
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
