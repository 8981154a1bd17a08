extension Statement {
  /// What the statement reads, with its arguments.
  ///
  /// ```swift
  /// let statement = try db.makeStatement(sql: "SELECT title FROM book WHERE pages > ?")
  /// statement.arguments = [500]
  /// print(statement.databaseRegion)                     // book(pages,title)
  /// print(statement.databaseRegion.debugDescription)    // book(pages,title) where pages > 500
  /// ```
  ///
  /// It is made of tables, columns, and rows as far as the conditions of the SQL tell them. Without arguments, all rows
  /// are read that any arguments might ask for. When nothing can be told, it is the full database.
  ///
  /// The first time it is asked for, the statement is compiled once more.
  public var databaseRegion: DatabaseRegion {
    region(with: currentArguments, isChecked: checksArguments)
  }

  /// What an execution with these arguments reads. The statement may be running with others.
  func region(with arguments: StatementArguments, isChecked: Bool) -> DatabaseRegion {
    do {
      return try regionPlan().region(parameterValues(arguments, isChecked: isChecked))
    } catch {
      // The schema has changed since, and the statement is not valid any more; or SQLite cannot tell now. When in
      // doubt, widen.
      return .fullDatabase
    }
  }

  /// Adds what an execution with the current arguments reads.
  ///
  /// - returns: How many rows must be shown for the last one to tell which rows matter; nil when it does not tell.
  func addRegion(to readSet: inout ReadSet?) -> Int? {
    do {
      let plan = try regionPlan()
      let values = parameterValues(currentArguments, isChecked: checksArguments)
      readSet?.add(plan, values)
      if database.recordsBounds, !plan.refinementQueries.isEmpty {
        readSet?.setRefinement(.linked(linkedValues(plan, values)), of: plan, values)
      }
      return plan.rowCountOfBound(values)
    } catch {
      // As for a region: when in doubt, widen.
      readSet?.add(.fullDatabase)
      return nil
    }
  }

  private func regionPlan() throws -> RegionPlan {
    let generation = try database.schemaFacts?.generation(database)
    if let cached = cachedRegionPlan, cached.schemaGeneration == generation { return cached.plan }
    let plan = RegionPlans.shared.shared(try database.regionPlan(of: self), of: sql)
    cachedRegionPlan = generation.map { (plan, $0) }
    return plan
  }
}
