// The positions of commits in a change stream: see `ChangeStreamHub.Position`.
//
// In a pool, the header of the WAL-index identifies a state, and `OwnCommitTracker` knows the state before an own
// commit. In a queue, SQLite counts external commits (`PRAGMA data_version`), and the library counts its own.

extension ChangeStreamHub {
  /// A state of the database.
  struct Position: Sendable {
    var version: UInt64

    /// The number of own commits that it contains: the difference between two positions shows whether there were
    /// others.
    var ownCommitCount: UInt64

    /// Whether there were external commits between an earlier position and the own commit that has led to this one.
    func includesExternalCommits(since earlier: Position) -> Bool {
      version > earlier.version && version - earlier.version > ownCommitCount &- earlier.ownCommitCount
    }
  }
}

extension _DatabaseCore {
  /// Identifies own commits from now on, even if the detection of external commits is disabled.
  ///
  /// - Parameter db: A connection that is about to read.
  func trackOwnCommits(_ db: Database) {
    guard let writer, writer.filePath != nil, !fetchesExcludeWrites, !writer.ownCommits.hasBegun,
      // The snapshot of a transaction may be older than the current state.
      let handle = db.handle, !handle.isReading("main"), let header = handle.walIndexHeader
    else { return }
    writer.ownCommits.begin(with: header)
  }

  /// The position after the own commit that is being reported, on the committing thread; nil if it is unknown.
  func positionOfOwnCommit() -> ChangeStreamHub.Position? {
    guard let writer else { return nil }
    if fetchesExcludeWrites {
      return positionOfQueue(writer, counterBeforeCommit: writer.ownCommits.dataVersionCounterBeforeCommit)
    }
    let (before, ownCommitCount) = writer.ownCommits.unreportedCommit
    return before.map { ChangeStreamHub.Position(version: number(of: $0) + 1, ownCommitCount: ownCommitCount) }
  }

  /// The position after external commits, on the thread that has detected them; nil if it is unknown. It precedes an
  /// own commit that is still being reported.
  func positionOfExternalCommit() -> ChangeStreamHub.Position? {
    // The connection of a queue, which knows the version, may be in use.
    if fetchesExcludeWrites { return nil }
    return writer.flatMap { position($0.ownCommits.reportedState) }
  }

  private func position(_ state: (header: WALIndexHeader?, ownCommitCount: UInt64)) -> ChangeStreamHub.Position? {
    state.header.map { ChangeStreamHub.Position(version: number(of: $0), ownCommitCount: state.ownCommitCount) }
  }

  /// The position before later commits; nil if it is unknown. To be called in an access that reads.
  func currentPosition() -> ChangeStreamHub.Position? {
    guard let writer else { return nil }
    if fetchesExcludeWrites { return positionOfQueue(writer, counterBeforeCommit: nil) }
    return position(writer.ownCommits.knownState)
  }

  /// - Parameter counterBeforeCommit: The counter of data versions before the own commit that is being reported. Nil if
  ///   no such commit is being reported, or if other connections could not have made a commit since.
  private func positionOfQueue(
    _ writer: SerializedConnection, counterBeforeCommit: UInt32?
  ) -> ChangeStreamHub.Position? {
    guard writer.isAccessible else { return nil }
    do {
      // A statement of the library is refused when its transaction has ended.
      let (dataVersion, counter) = try writer.reentrantSync { db in
        try db.withoutBusyHandler { () -> (Int64, UInt32?) in
          let dataVersion = try db.handle?.integer("PRAGMA data_version") ?? 0
          return (dataVersion, db.handle.flatMap { ConnectionHandle.dataVersionCounter(of: $0.pointer) })
        }
      }
      var version = UInt64(clamping: dataVersion)
      if let counterBeforeCommit, let counter {
        // The own commit counts once. The others are external commits that have followed it.
        version -= min(version, UInt64(counter &- counterBeforeCommit &- 1))
      }
      let ownCommitCount = writer.changeBroker.writeCount
      return ChangeStreamHub.Position(version: ownCommitCount + version, ownCommitCount: ownCommitCount)
    } catch {
      Database.log(error, "Could not determine the version of a commit")
      return nil
    }
  }
}
