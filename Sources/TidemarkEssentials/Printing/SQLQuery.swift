/// A relation whose deferred parts are resolved for a database.
struct SQLQuery {
  var source: SQLTable
  var isDistinct: Bool
  var selection: [SQLSelection]
  var filter: SQLExpression?
  var grouping: [SQLExpression]
  var having: SQLExpression?
  var ordering: [SQLOrdering]
  var limit: SQLLimit?

  /// Resolves the deferred parts of a relation, with the current schema.
  init(_ relation: SQLRelation, _ db: Database) throws {
    func condition(_ parts: [SQLRelation.Deferred<SQLExpression>]) throws -> SQLExpression? {
      switch parts.count {
      case 0: nil
      case 1: try parts[0](db, relation)
      default: .chain(.and, try parts.map { try $0(db, relation) })
      }
    }
    source = relation.source
    isDistinct = relation.isDistinct
    selection = try relation.selection.flatMap { try $0(db, relation) }
    filter = try condition(relation.filters)
    grouping = try relation.grouping?(db, relation) ?? []
    having = try condition(relation.havings)
    ordering = try relation.ordering.flatMap { part in
      let terms = try part.terms(db, relation)
      return part.isReversed ? terms.map(\.reversed) : terms
    }
    limit = relation.limit
  }
}

extension SQLRelation {
  /// Creates a relation without deferred parts.
  init(_ query: SQLQuery) {
    func known<Part: Sendable>(_ part: Part) -> Deferred<Part> { { _, _ in part } }
    self.init(source: query.source, selection: query.selection)
    isDistinct = query.isDistinct
    filters = query.filter.map { [known($0)] } ?? []
    grouping = query.grouping.isEmpty ? nil : known(query.grouping)
    havings = query.having.map { [known($0)] } ?? []
    ordering = [OrderingPart(terms: known(query.ordering))]
    limit = query.limit
  }
}
