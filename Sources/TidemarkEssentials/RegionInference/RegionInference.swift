/// Infers which tables, columns and rows a statement reads.
///
///     authorizer: columns ─┐
///     SQL: ParsedQuery ────┼──► RegionPlan ──► region of an execution: its arguments, its refinement
///     schema: TableFacts ──┘
///
/// `plan(of:)` is the only entry. A plan belongs to a statement and a schema, and connections share it.
/// `RegionPlan.region(_:_:)` binds it to the arguments of an execution. Statements do not know about regions: a
/// `ReadRecorder` observes them.
///
/// Invariants:
/// 1. When in doubt, widen: a region that cannot be determined is a whole table, or the full database.
/// 2. The text of a statement is parsed once for all users of its syntax tree, as long as a plan of this text is in
///    use.
final class RegionInference: DatabaseModuleState {
  /// Returns the facts about a table; nil if it does not exist. Without a database name, SQLite's search order
  /// applies.
  ///
  /// The schema module, which depends on this one, provides the function. Without it, no table is known.
  var facts: (Database, _ name: String, _ database: String?) throws -> TableFacts? = { _, _, _ in nil }

  /// Parses a text. Tests count the calls.
  var parse: (_ sql: String) -> ParsedQuery? = { ParsedQuery($0) }

  /// Returns the plan of the region of a statement, for the current schema.
  ///
  /// - Parameter depth: The number of virtual tables that lead to the statement.
  /// - Throws: An error if the statement does not compile any more.
  static func plan(of statement: Statement, depth: Int = 0) throws -> RegionPlan {
    let (db, sql) = (statement.database, statement.sql)
    db.preconditionAccess()
    // SQLite executes many pragmas during compilation. They read no rows of tables.
    if let pragma = PragmaStatement(sql) { return RegionPlan(RegionPlan.Findings(rest: pragma.region)) }
    let reads = try db.compilation.reads { _ = try db.compile(sql, isInternal: true) }
    return try db.untraced {
      let query = db.moduleState(RegionInference.self).query(of: sql)
      var builder = RegionPlanBuilder(db: db, statement: statement, query: query, depth: depth)
      return RegionPlans.shared.shared(try builder.plan(reads), of: sql)
    }
  }

  /// The parsed text of a statement; nil if it is not supported.
  func query(of sql: String) -> ParsedQuery? {
    if let plan = RegionPlans.shared.plan(of: sql) { return plan.query }
    return parse(sql)
  }
}

extension Database {
  /// Returns the facts about a table; nil if it does not exist.
  func facts(ofTable name: String, in database: String?) throws -> TableFacts? {
    try moduleState(RegionInference.self).facts(self, name, database)
  }
}
