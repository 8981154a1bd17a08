// The parts of a query that determine its region and the order of its rows: the tables of its `FROM` clause, their
// joins, the conditions, `ORDER BY` and `LIMIT`. Only the subqueries of all other parts are used.

/// A parsed text: the tree of its query, and the mentioned names.
///
/// It depends on nothing but the text, and is parsed once for all users: see `RegionInference.query(of:)`.
struct ParsedQuery: Sendable {
  /// The mentions in a text, in its subqueries, too.
  struct Mentions: Sendable {
    /// The names of all mentioned columns, in order and in lower case.
    var columnNames: [String] = []

    /// Whether all columns of some table are mentioned, by `*` or by a natural join.
    var includeAllColumns = false

    /// The texts of the parameters, in order.
    var parameters: [String] = []

    /// Whether functions are called: the result of some depends on the order of the rows.
    var includeFunctions = false
  }

  let syntax: SelectSyntax
  let mentions: Mentions

  /// Parses a query. Fails for other statements, and for text that the parser does not support: then nothing is known.
  init?(_ sql: String) {
    self.init(sql, Mentions()) { try $0.parseStatement() }
  }

  /// Parses a `CREATE VIEW` that a query uses.
  ///
  /// - Parameter mentions: The mentions before the mentions of the view.
  init?(view sql: String, after mentions: Mentions) {
    self.init(sql, mentions) { try $0.parseView() }
  }

  private init?(_ sql: String, _ mentions: Mentions, _ parse: (inout SelectParser) throws -> SelectSyntax) {
    // The only error is `SelectParser.UnsupportedSyntax`.
    guard var parser = try? SelectParser(sql, mentions), let syntax = try? parse(&parser) else { return nil }
    (self.syntax, self.mentions) = (syntax, parser.mentions)
  }
}

/// A query: one or several combined `SELECT`s, with the common table expressions before them.
struct SelectSyntax: Sendable {
  var commonTables: [CommonTableSyntax] = []
  var cores: [SelectCore] = []

  /// Whether it is one `SELECT`, or several that are combined by `UNION ALL`.
  var keepsEachRow = true

  /// The names that `CREATE VIEW` or `WITH` gives to its result columns; nil without such names.
  var columnNames: [String]?

  /// The terms of its `ORDER BY`.
  var ordering: [SelectExpression] = []

  /// Whether each of them is descending; nil if it contains `NULLS FIRST` or `NULLS LAST`.
  var directions: [Bool?] = []

  /// The text after `ORDER BY`.
  var orderingText: Substring?

  /// The number of rows in its `LIMIT`.
  var limit: SelectExpression?

  /// The subqueries in its `ORDER BY` and `LIMIT`.
  var nested = NestedReads()

  /// Its only `SELECT`, if the query has a single source and no subqueries elsewhere.
  var onlyCore: SelectCore? {
    guard cores.count == 1, commonTables.isEmpty, nested.isEmpty, cores[0].nested.isEmpty, cores[0].sources.count == 1
    else { return nil }
    return cores[0]
  }
}

/// A named query in a `WITH` clause.
struct CommonTableSyntax: Sendable {
  var name: String
  var query: SelectSyntax
}

/// One `SELECT … FROM … WHERE …`, or `VALUES`.
struct SelectCore: Sendable {
  var sources: [SelectSource] = []

  /// The `WHERE`.
  var condition: SelectExpression?

  /// The text from `SELECT` on, from `FROM` on, and after `WHERE`.
  var selectionText: Substring = ""
  var sourceText: Substring?
  var conditionText: Substring?

  /// Whether there is a `RIGHT` or `FULL` join.
  var mayExtendLeftSide = false

  /// Its result columns.
  var results: [SelectResult] = []

  /// Whether it returns each row separately, without grouping, removing duplicates, or windows with names.
  var showsEachRow = true

  /// Whether a row of the result may depend on several rows of the sources: with grouping, windows, or functions,
  /// which may be aggregates.
  var combinesRows = false

  /// Whether it returns each row separately, and no column has an alias.
  var showsRows: Bool { showsEachRow && aliases.isEmpty }

  /// Whether its results are columns only. The implicit name of an expression may equal the name of a column.
  var showsColumnsAlone = true

  /// The aliases of its result columns, in lower case.
  var aliases: Set<String> = []

  /// Whether it is `SELECT COUNT(*)` only.
  var countsRows = false

  /// Whether columns of two tables are merged because of `NATURAL`.
  var isNatural = false

  /// The names in `USING`, in lower case.
  var sharedNames: Set<String> = []

  /// Whether `NATURAL` or `USING` applies to joins in parentheses.
  var mergesColumnsOfGroups = false

  var nested = NestedReads()
}

/// A result column of a `SELECT`.
enum SelectResult: Sendable {
  /// All columns, or all columns of one table.
  case all(table: String?)
  case expression(SelectExpression, alias: String?)
}

/// The reads in subqueries of expressions.
struct NestedReads: Sendable {
  var queries: [SelectSyntax] = []

  /// The tables after an `IN` without parentheses.
  var tables: [TableName] = []

  var isEmpty: Bool { queries.isEmpty && tables.isEmpty }
}

/// The name of a table, with the name of its database if it is given.
struct TableName: Equatable, Sendable {
  var database: String?
  var name: String
}

/// A table or a subquery in a `FROM` clause.
struct SelectSource: Sendable {
  enum Relation: Sendable {
    case table(TableName)
    case function(TableName)
    case query(SelectSyntax)
  }

  var content: Relation
  var alias: String?

  /// Whether it is `INDEXED BY` or `NOT INDEXED`.
  var hasIndexHint = false

  /// Whether NULL may replace its rows if none matches.
  var isNullable = false

  /// The condition of its own join, if rows must satisfy it to be joined.
  var joinCondition: SelectExpression?

  /// Whether the join condition applies to the whole query, as in an inner join.
  var isJoinConditionGlobal = false

  /// Whether its join is `NATURAL`, and the names after its `USING`, in lower case.
  var isNatural = false
  var sharedNames: [String] = []

  /// The name that qualifies its columns.
  var exposedName: String? {
    if let alias { return alias }
    if case .table(let table) = content { return table.name }
    return nil
  }
}

/// An expression, as far as it is needed for conditions on the columns of a row.
indirect enum SelectExpression: Equatable, Sendable {
  case column(ColumnReference)
  case constant(SelectConstant)
  case collated(SelectExpression, collation: String)
  case not(SelectExpression)
  case and([SelectExpression])
  case or([SelectExpression])
  case comparison(ValueComparison, SelectExpression, SelectExpression)
  case arithmetic(RowFormula.ArithmeticOperation, SelectExpression, SelectExpression)
  case membership(SelectExpression, [SelectExpression])
  /// A function with one argument, and its name in lower case.
  case call(String, SelectExpression)
  /// A match of an expression with a pattern.
  case pattern(TextPattern, SelectExpression, SelectExpression)
  /// Several values in parentheses, which are not compared with several others.
  case row([SelectExpression])
  /// Subqueries, by their numbers in `SelectCore.nested`: `EXISTS (…)`, `… IN (…)`, and one as a value.
  case exists(Int)
  case memberOf(SelectExpression, Int)
  case scalar(Int)
  /// Any other expression.
  case opaque

  /// The comparison of two expressions. Rows of values are compared column by column.
  static func comparing(_ lhs: Self, _ comparison: ValueComparison, _ rhs: Self) -> Self {
    guard case .row(let left) = lhs, case .row(let right) = rhs, left.count == right.count else {
      return .comparison(comparison, lhs, rhs)
    }
    let columns = zip(left, right)
    switch comparison {
    case .equal, .identical: return .and(columns.map { comparing($0, comparison, $1) })
    case .different: return .not(comparing(lhs, .equal, rhs))
    case .notIdentical: return .not(comparing(lhs, .identical, rhs))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      // The expression is nested as deeply as the row is long.
      if left.count > 10 { return .comparison(comparison, lhs, rhs) }
      // The first columns that differ decide.
      let strict: ValueComparison = comparison == .less || comparison == .lessOrEqual ? .less : .greater
      guard let (first, other) = columns.first(where: { _ in true }) else { return .opaque }
      if left.count == 1 { return comparing(first, comparison, other) }
      let rest = comparing(.row(Array(left.dropFirst())), comparison, .row(Array(right.dropFirst())))
      return .or([comparing(first, strict, other), .and([comparing(first, .equal, other), rest])])
    }
  }

  /// The test whether an expression equals an element of a list.
  static func member(_ element: Self, of list: [Self]) -> Self {
    guard case .row = element, !list.isEmpty else { return .membership(element, list) }
    return .or(list.map { comparing(element, .equal, $0) })
  }

  /// Whether it is an expression with a collation.
  var isCollated: Bool { if case .collated = self { true } else { false } }

  /// The expression without collations, and their names.
  var uncollated: (expression: SelectExpression, collations: [String]) {
    guard case .collated(let inner, let name) = self else { return (self, []) }
    let (expression, collations) = inner.uncollated
    return (expression, collations + [name])
  }
}

/// A mention of a column in the text.
struct ColumnReference: Equatable, Sendable {
  var database: String?
  var table: String?
  var name: String

  /// The number of the mention, counted over the whole text.
  var number: Int
}

enum SelectConstant: Equatable, Sendable {
  case null
  case number(String)
  case text(String)
  case blob(String)
  /// The number of the mention of a parameter, counted over the whole text.
  case parameter(mention: Int)
}
