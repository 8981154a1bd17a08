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
    let redefinedFunctions = database.compilation.counts.redefinedFunctions
    if let inference, inference.schemaGeneration == generation, inference.redefinedFunctions == redefinedFunctions {
      return inference.plan
    }
    let plan = try RegionInference.plan(of: self)
    cached.inference = generation.map {
      StatementInference(plan, schemaGeneration: $0, redefinedFunctions: redefinedFunctions)
    }
    return plan
  }

  /// The parsed text; nil if it is not supported.
  var parsedQuery: ParsedQuery? {
    if let inference { inference.plan.query } else { database.moduleState(RegionInference.self).query(of: sql) }
  }

  /// The last results of region inference; nil before the first ones.
  var inference: StatementInference? {
    // Only `regionPlan` sets it.
    cached.inference.map { unsafeDowncast($0, to: StatementInference.self) }
  }
}

/// The results of region inference for a statement and a schema.
final class StatementInference {
  let plan: RegionPlan
  let schemaGeneration: UInt

  /// See `CompilationRecorder.Counts`.
  let redefinedFunctions: UInt

  /// The probes that run with each execution; nil before the first one.
  var refiner: RegionRefiner?

  /// The query of `RegionBound.lookUpSQL`; nil before the first use.
  var boundLookUp: Statement?

  init(_ plan: RegionPlan, schemaGeneration: UInt, redefinedFunctions: UInt) {
    (self.plan, self.schemaGeneration, self.redefinedFunctions) = (plan, schemaGeneration, redefinedFunctions)
  }
}
