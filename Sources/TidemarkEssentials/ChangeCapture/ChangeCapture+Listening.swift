// The hooks for row changes: the pre-update hook reports them before they happen, the update hook afterwards.

extension ChangeCapture {
  func listenWithoutHook() {
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
    listenWithoutHook()
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
