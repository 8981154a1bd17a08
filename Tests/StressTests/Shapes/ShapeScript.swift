import StressSupport

/// A schema, observed queries, and transactions: all that a run executes.
///
/// It is a value that does not depend on results, so a part of it can be executed again.
struct ShapeScript: Sendable {
  /// The statements that create the tables and their first rows.
  var setup: [ShapeStatement]

  /// The candidates for observed queries. Invalid and slow ones are not observed.
  var queries: [ShapeQuery]
  var transactions: [ShapeTransaction]

  var encoding = "UTF-8"

  /// Whether the transactions are followed by a change stream, and by the change feed if there is one.
  var isFollowed = false

  /// The connections that write the change feed.
  var feedWriters = FeedWriters.none

  /// Whether concurrent writes share transactions.
  var groupsWrites = false

  enum FeedWriters: String, Sendable {
    case none, observed, all
  }

  /// The shapes that all transactions have.
  var shapes: Set<Shape> = []
}

extension ShapeScript {
  /// Creates the script that a seed determines.
  init(seed: UInt64, kind: ShapeDatabase.Kind, queryCount: Int = 80, transactionCount: Int = 16) {
    let choices = RandomChoices(seed: seed)
    let encoding = choices.chance(20) ? choices.pick(["UTF-16le", "UTF-16be"]) : "UTF-8"
    let hasRecursiveTriggers = choices.chance(30)
    var schemas = SchemaGenerator(choices, hasTemporaryTables: !kind.isPool)
    let schema = schemas.makeSchema()
    var queries = QueryGenerator(choices, tables: schema.tables)
    var transactions = TransactionGenerator(choices, schema: schema, kind: kind)
    self.init(
      setup: ((hasRecursiveTriggers ? ["PRAGMA recursive_triggers = ON"] : []) + schema.statements)
        .map(ShapeStatement.sql),
      queries: (0..<queryCount).map { _ in queries.makeQuery() },
      transactions: (0..<transactionCount).map { _ in transactions.makeTransaction() }, encoding: encoding,
      shapes: encoding == "UTF-8" ? [] : [.utf16])
    groupsWrites = choices.chance(50)
    isFollowed = encoding == "UTF-8" && choices.chance(60)
    feedWriters = choices.pick([.none, .observed, .all, .all])
    for index in self.transactions.indices where feedWriters == .all && self.transactions[index].executor == .other {
      self.transactions[index].shapes.insert(.otherFeedWriter)
    }
    guard hasRecursiveTriggers else { return }
    for index in self.transactions.indices where self.transactions[index].shapes.contains(.trigger) {
      self.transactions[index].shapes.insert(.recursiveTriggers)
    }
  }

  /// The script as SQL.
  var sql: String {
    var lines = encoding == "UTF-8" ? [] : ["PRAGMA encoding = '\(encoding)';"]
    if feedWriters != .none { lines.append("-- with a change feed, written by connections: \(feedWriters.rawValue)") }
    if groupsWrites { lines.append("-- concurrent writes share transactions") }
    lines += setup.map(\.script)
    for query in queries { lines += ["-- observed:", query.script] }
    for (number, transaction) in transactions.enumerated() {
      lines.append("-- transaction \(number + 1)\(transaction.executor.comment):")
      lines += transaction.statements.map(\.script)
    }
    return lines.joined(separator: "\n")
  }

  /// The number of statements in its transactions.
  var statementCount: Int { transactions.reduce(0) { $0 + $1.statements.count } }
}
