public import Foundation

/// Stores snapshots of the database of a cluster.
///
/// A snapshot is the database file after the entry of a position. A node begins with one if the log does not contain
/// the entries after its own position any more. All methods may be called from any task, and by several nodes, at the
/// same time.
///
/// ``DirectorySnapshotStore`` is a folder that all nodes share. A store of your own, such as in an object store, names
/// objects by their positions, so that names alone show the newest one:
///
/// ```swift
/// struct BucketSnapshotStore: SnapshotStore {
///   var bucket: Bucket
///
///   private func name(_ position: LogPosition) -> String { "\(position.number)-\(position.digest)" }
///
///   private func positions() async throws -> [LogPosition] {
///     try await bucket.names().compactMap { name in
///       let parts = name.split(separator: "-")
///       guard parts.count == 2, let number = UInt64(parts[0]), let digest = LogDigest(String(parts[1])) else {
///         return nil
///       }
///       return LogPosition(number: number, digest: digest)
///     }
///   }
///
///   func save(_ file: URL, at position: LogPosition) async throws {
///     // The upload of an object is atomic: others see the whole object, or none.
///     try await bucket.upload(file, as: name(position))
///   }
///
///   func latest() async throws -> LogPosition? { try await positions().max { $0.number < $1.number } }
///
///   func fetch(_ position: LogPosition, to file: URL) async throws {
///     guard try await bucket.names().contains(name(position)) else { throw SnapshotError.notFound(position) }
///     // The download checks the bytes, and leaves no file after an error.
///     try await bucket.download(name(position), to: file)
///   }
///
///   func removeSnapshots(before position: LogPosition) async throws {
///     for old in try await positions() where old.number < position.number { try await bucket.remove(name(old)) }
///   }
/// }
/// ```
///
/// If an operation fails, with any error, a node tries later to install or save a snapshot. It trusts the bytes of a
/// snapshot: a store must detect damaged ones, and throw an error.
public protocol SnapshotStore: Sendable {
  /// Stores a file as the snapshot of a position.
  ///
  /// The operation is atomic: other nodes see the whole snapshot, or none. Storing a position again is harmless: the
  /// bytes may differ, but have the same contents. When the method returns, the snapshot is durable: the node discards
  /// the entries of the log that it contains.
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

  /// The stored bytes are not the saved ones. The text names the file.
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
