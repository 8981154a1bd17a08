// The parts of a query that determine its region: the tables of its `FROM` clause, their joins, and
// the conditions. Only the subqueries of all other parts are used.

/// A query: one or several combined `SELECT`s, with the common table expressions before them.
struct SelectSyntax {
  var commonTables: [CommonTableSyntax] = []
  var cores: [SelectCore] = []

  /// The terms of its `ORDER BY`.
  var ordering: [SelectExpression] = []

  /// Whether each of them is descending; nil if it contains `NULLS FIRST` or `NULLS LAST`.
  var directions: [Bool?] = []

  /// The number of rows in its `LIMIT`.
  var limit: SelectExpression?

  /// The subqueries in its `ORDER BY` and `LIMIT`.
  var nested = NestedReads()
}

/// A named query in a `WITH` clause.
struct CommonTableSyntax {
  var name: String
  var query: SelectSyntax
}

/// One `SELECT … FROM … WHERE …`, or `VALUES`.
struct SelectCore {
  var sources: [SelectSource] = []

  /// The `WHERE`.
  var condition: SelectExpression?

  /// Whether there is a `RIGHT` or `FULL` join.
  var mayExtendLeftSide = false

  /// Whether it returns each row separately, without grouping or removing duplicates.
  var showsEachRow = true

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

  var nested = NestedReads()
}

/// The reads in subqueries of expressions.
struct NestedReads {
  var queries: [SelectSyntax] = []

  /// The tables after an `IN` without parentheses.
  var tables: [TableName] = []

  var isEmpty: Bool { queries.isEmpty && tables.isEmpty }
}

/// The name of a table, with the name of its database if it is given.
struct TableName: Equatable {
  var database: String?
  var name: String
}

/// A table or a subquery in a `FROM` clause.
struct SelectSource {
  enum Relation {
    case table(TableName)
    case function(TableName)
    case query(SelectSyntax)
  }

  var content: Relation
  var alias: String?

  /// Whether NULL may replace its rows if none matches.
  var isNullable = false

  /// The condition of its own join, if rows must satisfy it to be joined.
  var joinCondition: SelectExpression?

  /// Whether the join condition applies to the whole query, as in an inner join.
  var isJoinConditionGlobal = false

  /// The name that qualifies its columns.
  var exposedName: String? {
    if let alias { return alias }
    if case .table(let table) = content { return table.name }
    return nil
  }
}

/// An expression, as far as it is needed for conditions on the columns of a row.
indirect enum SelectExpression {
  case column(ColumnReference)
  case constant(SelectConstant)
  case collated(SelectExpression, collation: String)
  case not(SelectExpression)
  case and([SelectExpression])
  case or([SelectExpression])
  case comparison(ValueComparison, SelectExpression, SelectExpression)
  case arithmetic(RowFormula.ArithmeticOperation, SelectExpression, SelectExpression)
  case membership(SelectExpression, [SelectExpression])
  /// Any other expression.
  case opaque
}

/// A mention of a column in the text.
struct ColumnReference {
  var database: String?
  var table: String?
  var name: String

  /// The number of the mention, counted over the whole text.
  var number: Int
}

enum SelectConstant {
  case null
  case number(String)
  case text(String)
  case blob(String)
  /// The number of the mention of a parameter, counted over the whole text.
  case parameter(mention: Int)
}
