// Recording the changes of a part of the open transaction.
//
// The needs of a transaction are determined when it begins. A recording raises them for its duration: it needs all
// changes. Subscribers then receive more than they need, which they ignore.

extension ChangeCapture {
  /// The needs of the current transaction before the outermost recording raised them.
  struct FormerNeeds {
    var ofSubscribers: CaptureNeeds
    var version: Int
  }

  /// A recording whose changes are applied by other nodes: see `Database+Replication.swift`.
  struct Replication {
    /// The bound of the log outside of the recording.
    let formerBound: ChangeLog.Bound
  }

  /// Begins to record all changes of the open transaction.
  ///
  /// - Throws: An error if the connection cannot report rows, or if it is unknown which of its changes are undone.
  func beginRecording() throws -> FormerNeeds? {
    guard let db, db.capture.changeObserver === self, log.isOpen, !log.isInStep else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "changes are recorded on a connection that can write, in a transaction")
    }
    endCaptureBypass()
    noteForeignStatements(on: db)
    if !usesRowHook {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE,
        message: SQLiteLibrary.hasPreupdateHook
          ? "changes cannot be recorded: other code, such as a session, uses the pre-update hook of the connection"
          : "changes cannot be recorded: the linked SQLite library has no pre-update hook")
    }
    let former = log.recordings.isEmpty ? FormerNeeds(ofSubscribers: needs.ofSubscribers, version: needs.version) : nil
    log.beginRecording()
    if former != nil {
      broker.setRecording(true)
      needs.ofSubscribers = needs.ofSubscribers.union(.all)
      forgetPlans()
      if !receivesRows { receiveRows(true) }
    }
    return former
  }

  /// Begins to record the changes for other nodes, as many as there are.
  func beginReplicatedRecording() throws -> FormerNeeds? {
    let former = try beginRecording()
    replication = Replication(formerBound: log.bound)
    log.bound = log.bound.withoutLimits
    return former
  }

  /// Ends the recording for other nodes.
  func endReplicatedRecording(restoring former: FormerNeeds?) -> CommittedChanges? {
    let changes = endRecording(restoring: former)
    if let replication { log.bound = replication.formerBound }
    replication = nil
    return changes
  }

  /// Ends the innermost recording.
  ///
  /// - Parameter former: The result of `beginRecording`.
  /// - Returns: The recorded changes; nil if the transaction has ended.
  func endRecording(restoring former: FormerNeeds?) -> CommittedChanges? {
    endCaptureBypass()
    noteForeignStatements(on: db)
    let changes = log.recordedChanges()
    _ = log.endRecording()
    guard let former else { return changes }
    broker.setRecording(false)
    // Another transaction may have begun, with the needs of that moment.
    (needs.ofSubscribers, needs.version) =
      former.version == needs.version ? (former.ofSubscribers, former.version) : broker.current
    forgetPlans()
    if db.handle != nil, receivesRows != broker.rowNeeds.exist { receiveRows(broker.rowNeeds.exist) }
    return changes
  }
}
