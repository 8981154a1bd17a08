// The statements that bypass the capture: those that begin and end transactions without observers, and
// those whose changes no observer needs any more (see `CaptureBypass`).

extension ChangeCapture {
  /// Whether the step of a statement needs no recording before it has ended.
  ///
  /// Such a statement begins or ends a transaction: no row changes, except pending changes of virtual tables. Two of
  /// the three statements of a short write are of this kind, and recording a step costs as many instructions as the
  /// step of such a statement (Benchmarks: `access: pool.write`).
  func needsNoCapture(_ statement: Statement, on db: Database) -> Bool {
    statement.writes == nil && statement.effects.contains(.transactionControl)
      && observations.isEmpty && !hasVirtualWrites && !log.isInStep && uncapturedStatement == nil
      && db.compilation.vacuumCount == vacuumCount
  }

  /// Determines whether the next steps of a statement can bypass the capture, after a step has succeeded.
  ///
  /// - Parameter step: The recorded step; nil if it was not recorded.
  func allowCaptureBypass(after step: Step?) {
    let db: Database = self.db
    guard self.step == nil, usesRowHook, isListening, log.isOpen, !db.isInAutocommitMode else { return }
    // The step is unwrapped last, because this copies it.
    if let plan = step?.plan, !plan.isAlwaysReported, !plan.tables.isEmpty, let step { updateBypass(step, plan) }
    // A full-text table writes pending changes in steps of other statements.
    if hasVirtualWrites { return }
    db.capture.bypass.epoch = epoch
    db.capture.bypass.generation = log.generation
  }

  private func updateBypass(_ step: Step, _ plan: CapturePlan) {
    let statement = step.statement
    guard isOrdinary(statement) else {
      hasVirtualWrites = true
      db.capture.bypass.epoch = 0
      return
    }
    guard let writes = statement.writes, !writes.isAlwaysCaptured, statement.effects.isEmpty, !step.isStale,
      plan.epoch == epoch
    else { return }
    // Most statements are executed once.
    writes.capturedStepCount += 1
    if writes.capturedStepCount < 2 { return }
    if !writes.hold(for: statement) { return renew(writes, statement) }
    if plan.isUnobserved {
      plan.tables.forEach(notifyDeleteObservers)
      if plan.isUnobserved { writes.bypass = .whileNeeds(are: epoch) }
    } else {
      plan.isAlwaysReported = zip(plan.tables, writes.tables).contains { !$0.isUnobserved && reportsUpdates($0, $1) }
      if plan.isAlwaysReported { return }
      let areKnown = zip(plan.tables, writes.tables).allSatisfy { $0.isUnobserved || isKnown($0, $1) }
      if areKnown, writes.capturedStepCount >= 8, !mayReplace(statement, writes) {
        writes.bypass = .whileNeeds(are: epoch, andLogIs: log.generation)
      }
    }
  }

  private func renew(_ writes: StatementWrites, _ statement: Statement) {
    do {
      try db.shielded { try db.untraced { try writes.renew(for: statement) } }
    } catch {
      Database.log(error, "Could not analyse a recompiled statement")
    }
  }

  /// Whether updates of a table by a statement may be reported, whatever is in the log.
  private func reportsUpdates(_ table: CapturedTable, _ written: StatementWrites.WrittenTable) -> Bool {
    guard let layout = table.layout, !written.updatedColumns.isEmpty else { return false }
    return layout.mayReportUpdate(of: written.updatedColumns)
  }

  /// Whether all other possible changes of a table by a statement, apart from deletions of conflicting rows, are in the
  /// log already, or irrelevant.
  private func isKnown(_ table: CapturedTable, _ written: StatementWrites.WrittenTable) -> Bool {
    guard let layout = table.layout, table.hasNoObservers, table.virtualTables.isEmpty, !table.isWantedVirtualTable
    else { return false }
    if !written.inserts, !written.deletes { return true }
    if layout.wantsRows, log.hasRoom(layout.rowCountMax) { return false }
    return (!written.inserts || isNoted(.insert, of: table)) && (!written.deletes || isNoted(.delete, of: table))
  }

  /// Whether a statement may delete rows because of conflicts: it, or one of its tables or triggers, uses REPLACE.
  private func mayReplace(_ statement: Statement, _ writes: StatementWrites) -> Bool {
    if let known = writes.mayReplace { return known }
    var mayReplace = true
    do {
      mayReplace = try statement.sql.asciiLowercased.contains("replace") || schemaMayReplace()
    } catch {
      Database.log(error, "Could not determine whether a statement replaces rows")
    }
    writes.mayReplace = mayReplace
    return mayReplace
  }

  private func schemaMayReplace() throws -> Bool {
    try db.shielded {
      try db.databaseNames().contains { name in
        let master = name == "temp" ? "sqlite_temp_master" : "\(name.quotedDatabaseIdentifier).sqlite_master"
        // Filtered in Swift: a program may have redefined SQLite's functions.
        return try db.internalRows("SELECT sql FROM \(master)").contains { row in
          if case .string(let sql) = row[0].storage { sql.asciiLowercased.contains("replace") } else { false }
        }
      }
    }
  }

  // MARK: - Exceptions

  func endCaptureBypass() {
    guard let statement = db.capture.bypass.current else { return }
    if db.capture.bypass.isHookPaused { db.handle?.resumeRowChangeHook() }
    db.capture.bypass.current = nil
    log.willStep()
    step = Step(
      statement: statement, plan: statement.writes.flatMap(knownPlan),
      // The absence of reported rows does not mean that the hook was replaced.
      signalCount: signalCount &- 1, totalChangesCount: db.handle?.totalChangesCount ?? 0,
      recompiledWriteCount: db.compilation.recompiledWriteCount,
      recompiledSchemaChangeCount: db.compilation.recompiledSchemaChangeCount, hasUnrecordedRows: true)
  }

  // It is compiled with the hook enabled, too.
  func willRecompileWrite() {
    endCaptureBypass()
    step?.statement.writes?.bypass = .none
    guard step?.isHookDisabled == true else { return }
    step?.isHookDisabled = false
    db.handle?.resumeRowChangeHook()
  }

  /// Whether a row changed by a bypassing step is an expected one.
  func isExpected(_ signal: RowChangeSignal, in statement: Statement) -> Bool {
    guard let plan = statement.writes.flatMap(knownPlan) else { return false }
    return plan.tables.contains { $0.matches(signal) }
  }

  /// The capture plan of a statement that has one.
  func knownPlan(of writes: StatementWrites) -> CapturePlan? {
    // Only capture plans are stored there.
    writes.plan.map { unsafeDowncast($0, to: CapturePlan.self) }
  }
}

extension CaptureLayout {
  /// Whether an update of some columns may have to be reported.
  fileprivate func mayReportUpdate(of updated: Set<String>) -> Bool {
    if isUnknown || mustReportAll || hasComputedColumns || !unreadColumns.isEmpty { return true }
    return updated.contains { column in
      let name = column.asciiLowercased
      return name == RowFilter.rowIDName || name == rowIDColumn || columns.contains { $0.name == name }
    }
  }
}
