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

  /// Adds the region that an execution with the current arguments reads.
  ///
  /// - Returns: The number of rows to fetch before the last row bounds the region; nil if the region has no such bound.
  func addRegion(to readSet: inout ReadSet?) -> Int? {
    do {
      let plan = try regionPlan()
      let values = parameterValues(argumentState.current, isChecked: argumentState.areChecked)
      readSet?.add(plan, values)
      if database.recording.usesBounds, !plan.refinementQueries.isEmpty {
        readSet?.setRefinement(.linked(linkedValues(plan, values)), of: plan, values)
      }
      return plan.rowCountOfBound(values)
    } catch {
      // If in doubt, widen the region.
      readSet?.add(.fullDatabase)
      return nil
    }
  }

  private func regionPlan() throws -> RegionPlan {
    let generation = try database.schema.facts?.generation(database)
    if let cached = cached.regionPlan, cached.schemaGeneration == generation { return cached.plan }
    let plan = RegionPlans.shared.shared(try database.regionPlan(of: self), of: sql)
    cached.regionPlan = generation.map { (plan, $0) }
    return plan
  }
}
