#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The SQL of the queries that a connection has printed, by their shapes, and the adapters of their rows.
final class QueryTexts: DatabaseModuleState {
  private struct Text {
    let sql: String
    let adapter: AdapterBox?

    /// The generation of the catalog; nil if neither the SQL nor the adapter depend on the schema.
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

    /// Whether the rows of the query are the rows of the result.
    fileprivate var isForRows: Bool { self == .allRows || self == .oneRow }
  }

  private var texts: [Key: Text] = [:]
  private var shape = QueryShape()

  /// How often a query was printed.
  private(set) var printCount = 0

  /// More shapes than most programs have. When there are more, as with the offsets of the pages of a long list, all are
  /// discarded.
  static let textCountMax = 200

  init() {}

  /// Returns the SQL of a query, its arguments, and the adapter of its rows. Prints it if no query of the same shape
  /// was printed before.
  func printed(_ query: SQLQuery, _ db: Database, for purpose: Purpose) throws -> PrintedQuery {
    guard shape.take(from: query) else { return try print(query, db, for: purpose) }
    shape.add(purpose.rawValue)
    // The printer may execute code of the program that prints other requests.
    let (key, values) = (Key(bytes: shape.bytes), shape.values)
    if let text = texts[key], try text.generation.map({ try $0 == db.catalogGeneration() }) ?? true {
      return PrintedQuery(sql: text.sql, arguments: StatementArguments(values: values), adapter: text.adapter)
    }
    let dependsOnSchema =
      !query.joins.isEmpty || purpose == .oneRow && query.limit == nil && query.mayHaveKeyInFilter
    let generation = dependsOnSchema ? try db.catalogGeneration() : nil
    let printed = try print(query, db, for: purpose)
    assert(
      printed.arguments.values.count == values.count, "The values of a shape are not those of its SQL: \(printed.sql)")
    if texts.count >= Self.textCountMax { texts.removeAll() }
    texts[key] = Text(sql: printed.sql, adapter: printed.adapter, generation: generation)
    return printed
  }

  private func print(_ query: SQLQuery, _ db: Database, for purpose: Purpose) throws -> PrintedQuery {
    printCount += 1
    let base = query
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
    let adapter = purpose.isForRows ? try base.rowAdapter(db) : nil
    return PrintedQuery(sql: printer.sql, arguments: printer.arguments, adapter: .boxing(adapter))
  }
}

/// The bytes of a shape. The standard library would hash them one by one.
private struct Key: Hashable {
  let bytes: [UInt8]

  static func == (lhs: Key, rhs: Key) -> Bool {
    lhs.bytes.withUnsafeBytes { left in
      rhs.bytes.withUnsafeBytes { right in
        // A shape is never empty.
        guard left.count == right.count, let left = left.baseAddress, let right = right.baseAddress else {
          return false
        }
        return memcmp(left, right, lhs.bytes.count) == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
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
