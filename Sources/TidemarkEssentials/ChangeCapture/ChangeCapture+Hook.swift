// Receiving row changes while they are needed: the pre-update hook reports them before they happen, the update hook
// afterwards.

extension ChangeCapture {
  /// Whether row changes are received, from the pre-update hook or its fallback.
  private(set) var receivesRows: Bool {
    get { db.capture.receivesRows }
    set { db.capture.receivesRows = newValue }
  }

  func rowNeedsDidChange() {
    // An open transaction continues as it began.
    if db.isInAutocommitMode, !log.isInStep { receiveRows(broker.rowNeeds.exist) }
  }

  /// Begins to receive row changes in the middle of a transaction.
  func receiveRowsNow() {
    if log.isOpen, !receivesRows { receiveRows(true) }
  }

  func receiveRows(_ isOn: Bool) {
    receivesRows = isOn
    if usesRowHook {
      setHook(isOn)
      if isOn, db.compilation.hasUnhookedDeletes { expireStatements() }
      if !isOn { db.compilation.hasUnhookedDeletes = false }
    } else if isOn {
      receiveRowsWithoutHook()
    } else {
      db.handle?.setUpdateHook(db.callbacks, isOn: false)
      db.compilation.deletesRowByRow = false
    }
  }

  func receiveRowsWithoutHook() {
    db.handle?.setUpdateHook(db.callbacks, isOn: true)
    db.compilation.deletesRowByRow = true
    expireStatements()
  }

  func setHook(_ isOn: Bool) {
    guard usesRowHook, let handle = db.handle else { return }
    if !handle.setRowChangeHook(db.callbacks, isOn: isOn) { hookWasLost() }
  }

  func hookWasLost() {
    Database.log(
      DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: "other code, such as a session, uses the pre-update hook of the connection: use another connection"),
      "Changes are no longer captured row by row")
    usesRowHook = false
    log.becomeUnknown()
    receiveRowsWithoutHook()
  }

  func expireStatements() {
    do {
      try db.handle?.expireStatements(db.callbacks)
      db.compilation.hasUnhookedDeletes = false
    } catch {
      log.becomeUnknown()
      Database.log(error, "Could not expire statements: a statement that empties a table may not be reported")
    }
  }
}
