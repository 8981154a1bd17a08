// Which statements need not be watched: those that begin and end transactions while nobody wants to know anything, and
// those of which nobody needs to know any more (see `QuietSteps`).

extension ChangeCapture {
  /// Whether nothing that the step of a statement may do is to be noted before it has ended.
  ///
  /// It begins or ends a transaction: no row changes, but those that virtual tables have kept. Two of the three
  /// statements of a short write are of this kind, and what is noted of a step takes as many instructions as the step
  /// of such a statement (Benchmarks: `access: pool.write`).
  func isCalm(_ statement: Statement, on db: Database) -> Bool {
    statement.writes == nil && statement.effects.contains(.transactionControl)
      && observations.isEmpty && !hasVirtualWrites && !log.isInStep && calmStatement == nil
      && db.compilation.vacuumCount == vacuumCount
  }

  /// Finds out whether the next steps of a statement can be quiet, now that a step has succeeded.
  ///
  /// - parameter step: nil when nothing was noted of it.
  func allowQuietSteps(after step: Step?) {
    let db: Database = self.db
    guard self.step == nil, usesRowHook, isListening, log.isOpen, !db.isInAutocommitMode else { return }
    // The step is taken out of its optional last: that copies it.
    if let plan = step?.plan, !plan.isAlwaysTold, !plan.tables.isEmpty, let step { judge(step, plan) }
    // A full-text table writes what it has kept in memory in steps of other statements.
    if hasVirtualWrites { return }
    db.quietSteps.epoch = epoch
    db.quietSteps.generation = log.generation
  }

  private func judge(_ step: Step, _ plan: WatchPlan) {
    let statement = step.statement
    guard isOrdinary(statement) else {
      hasVirtualWrites = true
      db.quietSteps.epoch = 0
      return
    }
    guard let writes = statement.writes, !writes.isAlwaysWatched, statement.effects.isEmpty, !step.isStale,
      plan.epoch == epoch
    else { return }
    // Most statements run once.
    writes.watchedCount += 1
    if writes.watchedCount < 2 { return }
    if !writes.hold(for: statement) { return renew(writes, statement) }
    if plan.isIdle {
      plan.tables.forEach(askAboutDeletes)
      if plan.isIdle { writes.quiet = .whileNeeds(are: epoch) }
    } else {
      plan.isAlwaysTold = zip(plan.tables, writes.tables).contains { !$0.isIdle && tellsUpdates($0, $1) }
      if plan.isAlwaysTold { return }
      let areKnown = zip(plan.tables, writes.tables).allSatisfy { $0.isIdle || isKnown($0, $1) }
      if areKnown, writes.watchedCount >= 8, !mayReplace(statement, writes) {
        writes.quiet = .whileNeeds(are: epoch, andLogIs: log.generation)
      }
    }
  }

  private func renew(_ writes: StatementWrites, _ statement: Statement) {
    do {
      try db.shielded { try db.untraced { try writes.renew(for: statement) } }
    } catch {
      Database.log(error, "It could not be found out what a statement writes that was compiled again")
    }
  }

  /// Whether updates of a table by a statement may be told, whatever is in the log.
  private func tellsUpdates(_ table: WatchedTable, _ written: StatementWrites.Table) -> Bool {
    guard let layout = table.layout, !written.updatedColumns.isEmpty else { return false }
    return layout.mayTellUpdate(of: written.updatedColumns)
  }

  /// Whether all else that a statement can do to a table, deletes of conflicting rows apart, is in the log already, or
  /// is of no interest.
  private func isKnown(_ table: WatchedTable, _ written: StatementWrites.Table) -> Bool {
    guard let layout = table.layout, table.hasNoObservers, table.virtualTables.isEmpty, !table.isWantedVirtualTable
    else { return false }
    if !written.inserts, !written.deletes { return true }
    if layout.wantsRows, log.hasRoom(layout.rowCountMax) { return false }
    return (!written.inserts || isNoted(.insert, of: table)) && (!written.deletes || isNoted(.delete, of: table))
  }

  /// Whether conflicts may have a statement delete rows: it says REPLACE, or one of its tables or triggers does.
  private func mayReplace(_ statement: Statement, _ writes: StatementWrites) -> Bool {
    if let known = writes.mayReplace { return known }
    var mayReplace = true
    do {
      mayReplace = try statement.sql.asciiLowercased.contains("replace") || schemaMayReplace()
    } catch {
      Database.log(error, "It could not be found out whether a statement replaces rows")
    }
    writes.mayReplace = mayReplace
    return mayReplace
  }

  private func schemaMayReplace() throws -> Bool {
    try db.shielded {
      try db.databaseNames().contains { name in
        let master = name == "temp" ? "sqlite_temp_master" : "\(name.quotedDatabaseIdentifier).sqlite_master"
        // Looked at here: a program may have functions of its own under the names of SQLite's.
        return try db.internalRows("SELECT sql FROM \(master)").contains { row in
          if case .string(let sql) = row[0].storage { sql.asciiLowercased.contains("replace") } else { false }
        }
      }
    }
  }

  // MARK: - What disturbs

  func watchQuietStep() {
    guard let statement = db.quietSteps.current else { return }
    if db.quietSteps.isHookPaused { db.handle?.resumeRowChangeHook() }
    db.quietSteps.current = nil
    log.willStep()
    step = Step(
      statement: statement, plan: statement.writes.flatMap(knownPlan),
      // That rows were not told is no sign that the hook was lost.
      signalCount: signalCount &- 1, totalChangesCount: db.handle?.totalChangesCount ?? 0,
      lateWriteCount: db.compilation.lateWriteCount)
  }

  // It is compiled for the hook, too.
  func willWriteLate() {
    watchQuietStep()
    step?.statement.writes?.quiet = .none
    guard step?.isMuted == true else { return }
    step?.isMuted = false
    db.handle?.resumeRowChangeHook()
  }

  /// Whether a row that changes in a quiet step is one of those that are expected.
  func isExpected(_ signal: RowChangeSignal, in statement: Statement) -> Bool {
    guard let plan = statement.writes.flatMap(knownPlan) else { return false }
    return plan.tables.contains { $0.matches(signal) }
  }

  /// The plan of a statement that has one.
  func knownPlan(of writes: StatementWrites) -> WatchPlan? {
    // Nobody else keeps anything there.
    writes.plan.map { unsafeDowncast($0, to: WatchPlan.self) }
  }
}

extension CaptureLayout {
  /// Whether an update of some columns may be one that is told.
  fileprivate func mayTellUpdate(of updated: Set<String>) -> Bool {
    if isUnknown || mustTellAll || hasComputedColumns || !unreadColumns.isEmpty { return true }
    return updated.contains { column in
      let name = column.asciiLowercased
      return name == RowFilter.rowIDName || name == rowIDColumn || columns.contains { $0.name == name }
    }
  }
}
