/// The SQL of the queries that a connection has printed, by their shapes.
final class QueryTexts: DatabaseModuleState {
  private struct Text {
    let sql: String

    /// The generation of the catalog; nil if the SQL does not depend on the schema.
    let generation: UInt?
  }

  /// The use of the result.
  enum Purpose: UInt8 {
    case allRows

    /// The SQL has a limit, unless the query has one or matches one row at most.
    case oneRow

    /// `SELECT EXISTS (…)`
    case existence

    /// `SELECT COUNT(*) FROM (…)`
    case count
  }

  private var texts: [[UInt8]: Text] = [:]
  private var shape = QueryShape()

  /// How often a query was printed.
  private(set) var printCount = 0

  /// More shapes than most programs have. When there are more, as with the offsets of the pages of a long list, all are
  /// discarded.
  static let textCountMax = 200

  init() {}

  /// Returns the SQL of a query, and its arguments. Prints it if no query of the same shape was printed before.
  func printed(
    _ query: SQLQuery, _ db: Database, for purpose: Purpose
  ) throws -> (sql: String, arguments: StatementArguments) {
    guard shape.take(from: query) else { return try print(query, db, for: purpose) }
    shape.add(purpose.rawValue)
    // The printer may execute code of the program that prints other requests.
    let (key, values) = (shape.bytes, shape.values)
    if let text = texts[key], try text.generation.map({ try $0 == db.catalogGeneration() }) ?? true {
      return (text.sql, StatementArguments(values: values))
    }
    let dependsOnSchema = purpose == .oneRow && query.limit == nil && query.mayHaveKeyInFilter
    let generation = dependsOnSchema ? try db.catalogGeneration() : nil
    let (sql, arguments) = try print(query, db, for: purpose)
    assert(arguments.values.count == values.count, "The values of a shape are not those of its SQL: \(sql)")
    if texts.count >= Self.textCountMax { texts.removeAll() }
    texts[key] = Text(sql: sql, generation: generation)
    return (sql, arguments)
  }

  private func print(
    _ query: SQLQuery, _ db: Database, for purpose: Purpose
  ) throws -> (sql: String, arguments: StatementArguments) {
    printCount += 1
    var query = query
    var printer = SQLPrinter(db)
    switch purpose {
    case .allRows: try printer.print(query)
    case .oneRow:
      if query.limit == nil, try !query.hasOneRowAtMost(db) { query.limit = SQLLimit(count: 1) }
      try printer.print(query)
    case .existence, .count:
      printer.sql += purpose == .count ? "SELECT COUNT(*) FROM (" : "SELECT EXISTS ("
      try printer.print(query)
      printer.sql += ")"
    }
    return (printer.sql, printer.arguments)
  }
}

extension SQLQuery {
  /// Whether the query is known to return at most one row.
  fileprivate func hasOneRowAtMost(_ db: Database) throws -> Bool {
    if !joins.isEmpty || source.commonTable != nil { return false }
    if grouping.isEmpty, selection.contains(where: { $0.isAggregate }) { return true }
    let columns = columnsEqualToValues
    return try !columns.isEmpty && db.columnsForUniqueKey(columns, in: source.tableName) != nil
  }

  /// Whether the schema determines how many rows the query may return.
  fileprivate var mayHaveKeyInFilter: Bool { !columnsEqualToValues.isEmpty }

  private var columnsEqualToValues: [String] {
    filter?.conjuncts.compactMap { $0.columnEqualToValue(in: source) } ?? []
  }
}

extension SQLExpression {
  /// The column of a table that the expression compares with a value for equality, if there is one.
  fileprivate func columnEqualToValue(in source: SQLTable) -> String? {
    guard case .operation(.binary(let sqlOperator), let operands) = node else { return nil }
    guard sqlOperator == .equal || sqlOperator == .same else { return nil }
    guard let value = operands.firstIndex(where: { $0.isValue }) else { return nil }
    guard case .column(let name, let owner) = operands[1 - value].node else { return nil }
    switch owner {
    case .currentRelation, .unnamed: return name
    case .alias(let alias): return source.hasAlias(alias) ? name : nil
    }
  }

  private var isValue: Bool {
    if case .value = node { true } else { false }
  }
}

extension SQLSelection {
  /// Whether the selection combines several rows into one.
  fileprivate var isAggregate: Bool {
    if case .expression(let expression, _) = node { expression.isAggregate } else { false }
  }
}
