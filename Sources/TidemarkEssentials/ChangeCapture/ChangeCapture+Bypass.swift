// The statements that bypass the capture: those that begin and end transactions without observers, and those whose row
// changes are not needed any more (see `CaptureBypass`).

extension ChangeCapture {
  /// Whether the step of a statement needs no recording before it has ended.
  ///
  /// Such a statement begins or ends a transaction: no row changes, except pending changes of virtual tables. Two of
  /// the three statements of a short write are of this kind, and recording a step costs as many instructions as the
  /// step of such a statement (Benchmarks: `access: pool.write`).
  func needsNoCapture(_ statement: Statement, on db: Database) -> Bool {
    statement.writes == nil && statement.effects.contains(.transactionControl)
      && needs.observations.isEmpty && !needs.haveVirtualWrites && !log.isInStep && steps.unrecorded == nil
      && db.compilation.counts.vacuums == steps.compiled.vacuums
  }

  /// Whether steps of the open transaction can bypass the capture.
  func canBypassCapture(on db: Database) -> Bool {
    steps.current == nil && usesRowHook && db.capture.receivesRows && log.isOpen && !db.isInAutocommitMode
  }

  /// Lets the next steps of statements bypass the capture, if that is known of them.
  func allowCaptureBypass(on db: Database) {
    // A full-text table writes pending changes in steps of other statements.
    if needs.haveVirtualWrites { return }
    db.capture.bypass.epoch = needs.epoch
    db.capture.bypass.generation = log.generation
  }

  /// Determines whether the next steps of a statement can bypass the capture, after a step has succeeded.
  func updateBypass(_ step: Step, _ plan: CapturePlan) {
    let statement = step.statement
    guard isOrdinary(statement) else {
      needs.haveVirtualWrites = true
      db.capture.bypass.epoch = 0
      return
    }
    guard let writes = statement.writes, !writes.isAlwaysCaptured, statement.effects.isEmpty, !step.isStale,
      plan.epoch == needs.epoch
    else { return }
    // Most statements are executed once.
    writes.findings.capturedStepCount += 1
    if writes.findings.capturedStepCount < 2 { return }
    if !writes.hold(for: statement) { return renew(writes, statement) }
    if !isNeeded(plan) {
      writes.findings.bypass = .whileNeeds(are: needs.epoch)
    } else {
      plan.isAlwaysReported = zip(plan.tables, writes.tables).contains { $0.isNeeded && reportsUpdates($0, $1) }
      if plan.isAlwaysReported { return }
      let areKnown = zip(plan.tables, writes.tables).allSatisfy { !$0.isNeeded || isKnown($0, $1) }
      if areKnown, writes.findings.capturedStepCount >= 8, !mayReplace(statement, writes) {
        writes.findings.bypass = .whileNeeds(are: needs.epoch, andLogIs: log.generation)
      }
    }
  }

  /// Whether changes that a statement may make are needed, including deletions that it does not name.
  private func isNeeded(_ plan: CapturePlan) -> Bool {
    if plan.isNeeded { return true }
    plan.tables.forEach(askDeleteObservers)
    return plan.isNeeded
  }

  /// Begins to bypass the capture in a step that has changed many rows that are not needed. The hook stays enabled if a
  /// function of the program may change other rows meanwhile.
  func bypassRestOfStep() {
    guard let step = steps.current, !step.isStale, !step.hasUnrecordedRows, let plan = step.plan, usesRowHook,
      !db.capture.isHandleExposed, let handle = db.handle, isOrdinary(step.statement),
      step.statement.writes?.hold(for: step.statement) == true, !isNeeded(plan)
    else { return }
    db.capture.bypass.begin(step.statement, on: handle, pausingHook: true)
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
    guard let layout = table.layout, table.areNeedsOfLayoutOnly else { return false }
    if !written.inserts, !written.deletes { return true }
    if layout.wantsRows, log.hasRoom(for: table) { return false }
    return (!written.inserts || isNoted(.insert, of: table)) && (!written.deletes || isNoted(.delete, of: table))
  }

  /// Whether a statement may delete rows because of conflicts: it, or one of its tables or triggers, uses REPLACE.
  private func mayReplace(_ statement: Statement, _ writes: StatementWrites) -> Bool {
    if let known = writes.findings.mayReplace { return known }
    var mayReplace = true
    do {
      mayReplace = try statement.sql.asciiLowercased.contains("replace") || schemaMayReplace()
    } catch {
      Database.log(error, "Could not determine whether a statement replaces rows")
    }
    writes.findings.mayReplace = mayReplace
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
    let db: Database = self.db
    guard let statement = db.capture.bypass.end(on: db.handle) else { return }
    // It was captured when its step began.
    if steps.current?.statement === statement { return }
    log.willStep()
    steps.current = Step(
      statement: statement, plan: statement.writes.flatMap(knownPlan),
      // The absence of reported rows does not mean that the hook was replaced.
      signalCount: steps.signalCount &- 1, totalChangesCount: db.handle?.totalChangesCount ?? 0,
      recompiledWriteCount: db.compilation.counts.recompiledWrites,
      recompiledSchemaChangeCount: db.compilation.counts.recompiledSchemaChanges, hasUnrecordedRows: true)
  }

  // It is compiled with the hook enabled, too.
  func willRecompileWrite() {
    endCaptureBypass()
    steps.current?.statement.writes?.findings.bypass = .none
  }

  /// Whether a row changed by a bypassing step is an expected one.
  func isExpected(_ signal: RowChangeSignal, in statement: Statement) -> Bool {
    statement.writes.flatMap(knownPlan)?.tables.contains { $0.matches(signal) } == true
  }

  /// The capture plan of a statement that has one.
  func knownPlan(of writes: StatementWrites) -> CapturePlan? {
    // Only capture plans are stored there.
    writes.findings.plan.map { unsafeDowncast($0, to: CapturePlan.self) }
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
