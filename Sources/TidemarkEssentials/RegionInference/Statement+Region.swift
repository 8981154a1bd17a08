extension Statement {
  /// The region that the statement reads with its current arguments.
  ///
  /// ```swift
  /// let statement = try db.makeStatement(sql: "SELECT title FROM book WHERE pages > ?")
  /// statement.arguments = [500]
  /// print(statement.databaseRegion)                     // book(pages,title)
  /// print(statement.databaseRegion.debugDescription)    // book(pages,title) where pages > 500
  /// ```
  ///
  /// The region consists of tables, columns, and rows, as far as they can be inferred from the SQL. Without arguments,
  /// it includes the rows for any arguments. If inference fails, it is the full database.
  ///
  /// The first access compiles the statement again.
  public var databaseRegion: DatabaseRegion {
    region(with: argumentState.current, isChecked: argumentState.areChecked)
  }

  /// Returns the region that an execution with these arguments reads. The statement may be running with others.
  func region(with arguments: StatementArguments, isChecked: Bool) -> DatabaseRegion {
    do {
      return try regionPlan().region(parameterValues(arguments, isChecked: isChecked))
    } catch {
      // The statement may be invalid after a schema change, or SQLite may be unable to analyse it now. If in doubt,
      // widen the region.
      return .fullDatabase
    }
  }

  /// Returns the plan for the current schema.
  func regionPlan() throws -> RegionPlan {
    let generation = try database.schema.generations?.current(database)
    if let plan = inference.plan, inference.schemaGeneration == generation { return plan }
    let plan = try RegionInference.plan(of: self)
    if let generation { (inference.plan, inference.schemaGeneration) = (plan, generation) }
    return plan
  }

  /// The parsed text; nil if it is not supported.
  var parsedQuery: ParsedQuery? {
    inference.plan.map(\.query) ?? database.moduleState(RegionInference.self).query(of: sql)
  }

  /// The results of region inference for the statement.
  var inference: StatementInference {
    // Nothing else sets it.
    if let known = cached.inference { return unsafeDowncast(known, to: StatementInference.self) }
    let inference = StatementInference()
    cached.inference = inference
    return inference
  }
}

/// The results of region inference for a statement, which are kept with it.
final class StatementInference {
  /// The plan of the region, and the schema for which it is valid.
  var plan: RegionPlan?
  var schemaGeneration: UInt = 0

  /// The queries that refine the region with each run.
  var refiner: RegionRefiner?
}
