import Dispatch
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
    let file = temporaryFile("copy")
    defer { remove(file) }
    let position = try await copy(to: file)
    let former = try await store.latest()
    try reach(.didCopySnapshot)
    if former?.number ?? 0 < position.number { try await store.save(file, at: position) }
    count { $0.savedSnapshots += 1 }
    try await discardEntries(before: position)
    // The former snapshot stays: another node may be fetching it.
    if let former, former.number < position.number { try await store.removeSnapshots(before: former) }
    return position
  }

  private func copy(to file: URL) async throws -> LogPosition {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { [pool] in
        continuation.resume(
          with: Result {
            let copy = try DatabaseQueue(path: file.path)
            try pool.backup(to: copy)
            let position = try copy.write { db in
              try NodeStorage.becomeSnapshot(db)
              return try NodeStorage.position(db)
            }
            // One file, without a write-ahead log.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            guard let position else { throw ClusterError.unsuitableFile("the file does not belong to a node") }
            return position
          })
      }
    }
  }

  private func discardEntries(before position: LogPosition) async throws {
    let kept = UInt64(max(0, configuration.keptEntryCount))
    guard position.number > kept else { return }
    do {
      guard let entry = try await log.entry(at: position.number - kept) else { return }
      try await log.discard(through: entry.position, until: .now + configuration.requestTimeLimit)
    } catch LogError.behindLog {
      // Another node has discarded them.
    }
  }

  // MARK: - Installing

  /// Installs the newest snapshot, if it is new enough.
  ///
  /// - Parameter discarded: The position through which the log was discarded.
  func installSnapshot(after discarded: LogPosition, _ storage: inout NodeStorage) {
    do {
      guard let store = configuration.snapshots,
        let position = try waiting({ try await store.latest() }).get(), position.number >= discarded.number
      else { return update { machine, now in machine.snapshotFailed(at: now) } }
      let file = temporaryFile("snapshot")
      defer { remove(file) }
      try waiting { try await store.fetch(position, to: file) }.get()
      try reach(.willInstallSnapshot)
      let source = try DatabaseQueue(path: file.path)
      try source.backup(to: pool)
      try source.close()
      try pool.writeWithoutTransaction { db in
        try storage.didReplace(db)
        try db.reloadVirtualTables()
      }
      guard storage.position == position else {
        throw ClusterError.historyDiverged("the snapshot of \(position) contains \(storage.position)")
      }
      count { $0.installedSnapshots += 1 }
      update { machine, _ in machine.didInstallSnapshot(at: position) }
    } catch let error where error is NodeWasKilled || error is ClusterError {
      fileFailed(error)
    } catch {
      Database.log(error, "Could not install a snapshot of the cluster")
      update { machine, now in machine.snapshotFailed(at: now) }
    }
  }

  // MARK: - Files

  /// A new file beside the node's file.
  private func temporaryFile(_ purpose: String) -> URL {
    URL(fileURLWithPath: "\(pool.path).\(purpose)-\(UUID().uuidString)")
  }

  private func remove(_ file: URL) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
      let path = file.path + suffix
      guard FileManager.default.fileExists(atPath: path) else { continue }
      do {
        try FileManager.default.removeItem(atPath: path)
      } catch {
        Database.log(error, "Could not remove the temporary file \(path)")
      }
    }
  }
}
