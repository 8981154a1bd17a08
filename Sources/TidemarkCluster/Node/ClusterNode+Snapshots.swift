import Foundation
import Tidemark

// Snapshots: saving them, discarding the entries before them, and beginning with one.

extension ClusterNode {
  // MARK: - Saving

  /// Saves a snapshot of the node's file, and discards the entries before it that no node needs.
  func saveSnapshot() async throws -> LogPosition {
    guard let store = configuration.snapshots else {
      throw ClusterError.unsuitableConfiguration("the configuration has no store of snapshots")
    }
    if let ending { throw ending }
    let copy = TemporaryDatabase(beside: pool.path, "copy")
    defer { copy.remove() }
    let position = try await BlockingWork.run { [pool] _ in
      try copy.write(backupOf: pool) { try NodeStorage.becomeSnapshot($0) }
    }
    let former = try await store.latest()
    try reach(.didCopySnapshot)
    // Another program may have written into the file: its contents must not reach other nodes.
    if let ending { throw ending }
    if former?.number ?? 0 < position.number { try await store.save(copy.file, at: position) }
    count { $0.savedSnapshots += 1 }
    try await discardEntries(before: position)
    // The former snapshot stays: another node may be fetching it.
    if let former, former.number < position.number { try await store.removeSnapshots(before: former) }
    return position
  }

  private func discardEntries(before position: LogPosition) async throws {
    let kept = UInt64(max(0, configuration.keptEntryCount))
    guard position.number > kept else { return }
    do {
      guard let entry = try await log.entry(at: position.number - kept) else { return }
      try await log.discard(through: entry.position, until: .end(of: configuration.requestTimeLimit))
    } catch LogError.behindLog {
      // Another node has discarded them.
    }
  }

  // MARK: - Installing

  /// Installs the newest snapshot, if it is new enough.
  ///
  /// - Parameter discarded: The position through which the log was discarded, or at which the cluster has begun.
  func installSnapshot(after discarded: LogPosition, _ storage: inout NodeStorage) {
    do {
      guard let store = configuration.snapshots,
        let latest = try waiting({ try await store.latest() }).get(), latest.number >= discarded.number
      else { return update { machine, now in machine.snapshotFailed(at: now) } }
      // An interrupted bootstrap may have left another snapshot with the number of the first one.
      let position = latest.number > discarded.number ? latest : discarded
      let snapshot = TemporaryDatabase(beside: pool.path, "snapshot")
      defer { snapshot.remove() }
      try waiting { try await store.fetch(position, to: snapshot.file) }.get()
      try reach(.willInstallSnapshot)
      try check(snapshot, position)
      let pageSize = try pool.writeWithoutTransaction { [storage] db in
        try db.inTransaction(.immediate) {
          try storage.checkForeignWrites(db)
          return .rollback
        }
        return try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
      }
      let copy = TemporaryDatabase(beside: pool.path, "pages")
      defer { copy.remove() }
      let source = try DatabaseQueue(path: snapshot.withPages(of: pageSize, in: copy, configuration.database).file.path)
      try source.backup(to: pool)
      try source.close()
      let commit = Result {
        try pool.writeWithoutTransaction { db in
          try storage.didReplace(db, at: position)
          try db.reloadVirtualTables()
        }
      }
      count { $0.installedSnapshots += 1 }
      // The file has the contents of the snapshot, also if the commit has failed.
      update { machine, _ in machine.didInstallSnapshot(at: position) }
      if case .failure(let error) = commit { fileFailed(error) }
    } catch let error where error is NodeWasKilled || error is ClusterError {
      fileFailed(error)
    } catch {
      Database.log(error, "Could not install a snapshot of the cluster")
      update { machine, now in machine.snapshotFailed(at: now) }
    }
  }

  /// Throws if a snapshot does not contain the state of its position. Nothing is replaced then.
  private func check(_ snapshot: TemporaryDatabase, _ position: LogPosition) throws {
    let queue = try DatabaseQueue(path: snapshot.file.path)
    guard let found = try queue.read({ try NodeStorage.position($0) }) else {
      throw ClusterError.unsuitableFile("the snapshot of \(position) does not belong to a node")
    }
    try queue.close()
    if found != position { throw ClusterError.historyDiverged("the snapshot of \(position) contains \(found)") }
  }
}
