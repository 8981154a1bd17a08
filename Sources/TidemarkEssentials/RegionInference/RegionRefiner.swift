/// The probes that run with each execution of a statement: see `RefinementQuery`.
final class RegionRefiner {
  /// The maximum number of virtual machine instructions of a probe.
  private static let stepsMax: CInt = 10_000
  private static let pauseMax = 64

  private struct Backoff {
    var refinementQuery: RefinementQuery
    var statement: Statement

    /// The number of executions for which it is skipped after an unused result.
    var pause = 0

    /// The remaining number of executions for which it is skipped.
    var remainingPause = 0
  }

  private var backoffs: [Backoff]

  init(_ plan: RegionPlan, _ db: Database) throws {
    backoffs = try plan.findings.refinementQueries.map {
      Backoff(refinementQuery: $0, statement: try db.compile($0.sql, isInternal: true))
    }
  }

  /// Returns the results of the probes in the current snapshot.
  func values(_ arguments: [DatabaseValue]?) throws -> [[DatabaseValue]?] {
    try backoffs.indices.map { index in
      if backoffs[index].remainingPause > 0 {
        backoffs[index].remainingPause -= 1
        return nil
      }
      let values = try result(of: backoffs[index].refinementQuery, backoffs[index].statement, arguments)
      backoffs[index].pause = values == nil ? min(max(1, backoffs[index].pause * 2), Self.pauseMax) : 0
      backoffs[index].remainingPause = backoffs[index].pause
      return values
    }
  }

  private func result(
    of refinementQuery: RefinementQuery, _ statement: Statement, _ arguments: [DatabaseValue]?
  ) throws -> [DatabaseValue]? {
    let known = ConditionArguments(values: arguments, isTextOrderKnown: false)
    let constants = refinementQuery.constants.compactMap { known.value(of: $0) }
    if constants.count != refinementQuery.constants.count { return nil }
    try statement.start(StatementArguments(values: constants))
    defer { statement.finish() }
    var values: [DatabaseValue] = []
    var rowCount = 0
    while try statement.step() {
      rowCount += 1
      guard rowCount <= RefinementQuery.rowsMax, let value = DatabaseValue.read(statement.sqliteStatement, 0) else {
        return nil
      }
      if value.isNull { continue }
      // The original bytes of a repaired text are unknown.
      if case .string(let text) = value.storage, text.unicodeScalars.contains("\u{FFFD}") { return nil }
      if values.last != value { values.append(value) }
    }
    return statement.takeInstructionCount() <= Self.stepsMax ? values : nil
  }
}

extension RegionBound {
  /// The values of the current row in the columns by which the rows are sorted, including values that the row does not
  /// contain.
  func lastValues(in statement: Statement, _ inference: StatementInference?) -> [DatabaseValue] {
    let values = values(in: statement)
    guard values.count < terms.count, let inference, let sql = lookUpSQL, let rowIDName,
      let rowID = statement.currentValue(ofColumnNamed: rowIDName)
    else { return values }
    do {
      return try statement.database.untraced {
        let lookUp = try inference.boundLookUp ?? statement.database.compile(sql, isInternal: true)
        inference.boundLookUp = lookUp
        try lookUp.start(StatementArguments(values: [rowID]))
        defer { lookUp.finish() }
        guard try lookUp.step(),
          case let all = terms.indices.compactMap({ DatabaseValue.read(lookUp.sqliteStatement, CInt($0)) }),
          all.count == terms.count
        else { return values }
        return all
      }
    } catch {
      // The error concerns the look-up alone: use the wider region.
      inference.boundLookUp = nil
      return values
    }
  }
}

extension StatementInference {
  /// Returns the values of columns of joined tables, from the probes of the plan.
  func linkedValues(_ arguments: [DatabaseValue]?, _ db: Database) -> [[DatabaseValue]?] {
    do {
      return try db.untraced {
        let refiner = try refiner ?? RegionRefiner(plan, db)
        self.refiner = refiner
        return try refiner.values(arguments)
      }
    } catch {
      // The error will also occur in the statement itself, or concerns the probe alone: use the wider
      // region.
      refiner = nil
      return []
    }
  }
}
