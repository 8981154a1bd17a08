public import Foundation

/// Stores snapshots of the database of a cluster.
///
/// A snapshot is the database file after the entry of a position. A node begins with one if the log does not contain
/// the entries after its own position any more. All methods may be called from any task, and by several nodes, at the
/// same time.
public protocol SnapshotStore: Sendable {
  /// Stores a file as the snapshot of a position.
  ///
  /// The operation is atomic: other nodes see the whole snapshot, or none. Storing a position again is harmless.
  ///
  /// - Parameters:
  ///   - file: A complete database file, which does not change in the meantime.
  ///   - position: The position of the last entry that the file contains.
  /// - Throws: ``SnapshotError/failed(_:)``, or `CancellationError`. After `CancellationError` and after other errors,
  ///   the snapshot may have been stored nevertheless.
  func save(_ file: URL, at position: LogPosition) async throws

  /// Returns the position of the newest snapshot: the one with the largest number.
  ///
  /// - Returns: The position; nil if the store is empty.
  /// - Throws: ``SnapshotError/failed(_:)``, or `CancellationError`.
  func latest() async throws -> LogPosition?

  /// Copies the snapshot of a position to a file.
  ///
  /// After an error, the file does not exist.
  ///
  /// - Parameters:
  ///   - position: The position of a snapshot.
  ///   - file: A file that does not exist, in a folder that does.
  /// - Throws: ``SnapshotError``, or `CancellationError`.
  func fetch(_ position: LogPosition, to file: URL) async throws

  /// Removes the snapshots with smaller numbers than a position.
  ///
  /// - Parameter position: The position of the oldest snapshot to keep.
  /// - Throws: ``SnapshotError/failed(_:)``, or `CancellationError`. Some of them may have been removed nevertheless.
  func removeSnapshots(before position: LogPosition) async throws
}

/// An error of a store of snapshots.
public enum SnapshotError: Error, Hashable, Sendable {
  /// The store has no snapshot of this position.
  case notFound(LogPosition)

  /// The stored bytes are not what was saved. The text names the file.
  case damaged(String)

  /// The system has refused an operation. The text names the file and the reason, and says what to do.
  case failed(String)
}

extension SnapshotError: CustomStringConvertible {
  /// The error as text for people.
  public var description: String {
    switch self {
    case .notFound(let position):
      "the snapshot of position \(position) was not found: it was removed, or never saved. Fetch the latest one"
    case .damaged(let reason): "the snapshot is damaged: \(reason)"
    case .failed(let reason): reason
    }
  }
}
