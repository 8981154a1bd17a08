/// Infers which tables, columns and rows a statement reads.
///
///     authorizer ──► columns ──┐
///     SQL ──► ParsedQuery ─────┼──► RegionPlan ──► region of an execution: its arguments, its refinement
///     schema ──► TableFacts ───┘
///
/// `plan(of:)` is the only entry. A plan belongs to a statement and a schema, and connections share it.
/// `RegionPlan.region(_:_:)` binds it to the arguments of an execution. Statements do not know about region inference: a
/// `ReadRecorder` observes them.
///
/// Invariants:
/// 1. When in doubt, widen: a region that cannot be determined is a whole table, or the full database.
/// 2. The text of a statement is parsed once for all users of its syntax tree, as long as a plan of this text is in use.
final class RegionInference: DatabaseModuleState {
  /// Returns the facts about a table; nil if it does not exist. Without a database name, SQLite's search order
  /// applies.
  ///
  /// The schema module, which depends on this one, provides the function. Without it, regions are whole tables.
  var facts: ((Database, _ name: String, _ database: String?) throws -> TableFacts?)?

  /// Parses a text. Tests count the calls.
  var parse: (_ sql: String) -> ParsedQuery? = { ParsedQuery($0) }

  /// Returns the plan of the region of a statement, for the current schema.
  ///
  /// - Throws: An error if the statement does not compile any more.
  static func plan(of statement: Statement) throws -> RegionPlan {
    RegionPlans.shared.shared(try plan(of: statement, depth: 0), of: statement.sql)
  }

  /// - Parameter depth: The number of virtual tables that lead to the statement.
  static func plan(of statement: Statement, depth: Int) throws -> RegionPlan {
    let db = statement.database
    db.preconditionAccess()
    // SQLite executes many pragmas during compilation. They read no rows of tables.
    if let pragma = PragmaStatement(statement.sql) { return RegionPlan(RegionPlan.Findings(rest: pragma.region)) }
    let reads = try db.compilation.reads { _ = try db.compile(statement.sql, isInternal: true) }
    return try db.untraced {
      let query = db.moduleState(RegionInference.self).query(of: statement.sql)
      var builder = RegionPlanBuilder(db, statement, query, depth: depth)
      return try builder.plan(reads)
    }
  }

  /// The parsed text of a statement; nil if it is not supported.
  func query(of sql: String) -> ParsedQuery? {
    if let plan = RegionPlans.shared.plan(of: sql) { return plan.query }
    return parse(sql)
  }
}

extension Database {
  /// Whether a schema module is installed.
  var knowsTables: Bool { moduleState(RegionInference.self).facts != nil }

  /// Returns the facts about a table, if a schema module is installed.
  func facts(ofTable name: String, in database: String?) throws -> TableFacts? {
    try moduleState(RegionInference.self).facts?(self, name, database)
  }

  /// Returns the names of the databases that have a table of the given name. Views are left out.
  func databases(withTable name: String) throws -> [String] {
    let handle = try openHandle()
    return try databaseNames().filter { handle.hasTable(name, in: $0) }
  }
}
