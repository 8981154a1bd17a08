// The shape of a query, as far as it matters to what it reads: the tables of its `FROM`, how they are joined, and
// the conditions. All the rest is read for the queries inside it.

/// A query: one `SELECT` or several combined, behind its common table expressions.
struct SelectSyntax {
  var commonTables: [CommonTable] = []
  var cores: [SelectCore] = []

  /// The terms of its `ORDER BY`.
  var ordering: [SelectExpression] = []

  /// Whether each of them sorts from the largest value down; nil when it says where NULL goes.
  var directions: [Bool?] = []

  /// The number of rows in its `LIMIT`.
  var limit: SelectExpression?

  /// The queries in its `ORDER BY` and `LIMIT`.
  var nested = NestedReads()
}

/// A query with a name, behind `WITH`.
struct CommonTable {
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

  /// Whether it shows its rows one by one, each as often as it is there.
  var showsEachRow = true

  /// Whether it does, and has no other name for what they show.
  var showsRows: Bool { showsEachRow && aliases.isEmpty }

  /// Whether all that it shows are columns: what is called by its text may have the name of one.
  var showsColumnsAlone = true

  /// The names that it gives to what it shows, in lower case.
  var aliases: Set<String> = []

  /// Whether it is a mere `SELECT COUNT(*)`.
  var countsRows = false

  /// Whether columns of two tables go by one name, because of `NATURAL`.
  var isNatural = false

  /// The names in `USING`, in lower case.
  var sharedNames: Set<String> = []

  var nested = NestedReads()
}

/// What is read inside of expressions.
struct NestedReads {
  var queries: [SelectSyntax] = []

  /// The tables behind an `IN` without parentheses.
  var tables: [TableName] = []

  var isEmpty: Bool { queries.isEmpty && tables.isEmpty }
}

/// The name of a table, with that of its database when it is given.
struct TableName: Equatable {
  var database: String?
  var name: String
}

/// A table or a query in a `FROM`.
struct SelectSource {
  enum Content {
    case table(TableName)
    case function(TableName)
    case query(SelectSyntax)
  }

  var content: Content
  var alias: String?

  /// Whether its rows may be replaced by NULL, where nothing joins.
  var isNullable = false

  /// The condition of its own join, where it is one that its rows must meet to be joined.
  var joinCondition: SelectExpression?

  /// Whether the join condition is one of the whole query, as that of an inner join.
  var isJoinConditionGlobal = false

  /// The name by which columns are qualified.
  var exposedName: String? {
    if let alias { return alias }
    if case .table(let table) = content { return table.name }
    return nil
  }
}

/// An expression, as far as a condition on the columns of a row can be seen in it.
indirect enum SelectExpression {
  case column(ColumnReference)
  case constant(SelectConstant)
  case collated(SelectExpression, collation: String)
  case not(SelectExpression)
  case and([SelectExpression])
  case or([SelectExpression])
  case comparison(ValueComparison, SelectExpression, SelectExpression)
  case arithmetic(RowFormula.Operation, SelectExpression, SelectExpression)
  case membership(SelectExpression, [SelectExpression])
  /// Anything else.
  case opaque
}

/// A name of a column, where it stands in the text.
struct ColumnReference {
  var database: String?
  var table: String?
  var name: String

  /// Which mention of a column it is, counted over the whole text.
  var number: Int
}

enum SelectConstant {
  case null
  case number(String)
  case text(String)
  case blob(String)
  /// Which mention of a parameter it is, counted over the whole text.
  case parameter(mention: Int)
}
