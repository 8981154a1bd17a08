public import Foundation

/// Stores snapshots in a folder that all nodes share: of a network file system, or of one machine.
///
/// Each snapshot is a file: the database, the position, and a SHA-256 digest of both. Foreign files are ignored.
///
/// ```swift
/// configuration.snapshots = DirectorySnapshotStore(URL(fileURLWithPath: "/mnt/snapshots"))
/// ```
///
/// Nodes then save and install snapshots by themselves. To copy the newest one:
///
/// ```swift
/// let store = DirectorySnapshotStore(URL(fileURLWithPath: "/mnt/snapshots"))
/// if let position = try await store.latest() { try await store.fetch(position, to: backup) }
/// ```
///
/// All operations run outside of the threads of Swift's tasks. Cancelling a task ends an operation after the current
/// part of 1 MB, with `CancellationError`.
public struct DirectorySnapshotStore: SnapshotStore {
  /// The number of bytes that are copied at a time.
  static let chunkByteCount = 1 << 20

  /// The position, and the digest of the contents and the position.
  private static let trailerByteCount = 8 + 2 * LogDigest.byteCount

  private let folder: URL

  /// Is called after each chunk; tests replace it.
  var didCopyChunk: @Sendable () throws -> Void = {}

  /// Creates a store.
  ///
  /// - Parameter directory: The folder. It is created when the first snapshot is saved.
  public init(_ directory: URL) { folder = directory }

  /// Stores a copy of a file as the snapshot of a position. It replaces a snapshot of the same position.
  ///
  /// The copy has a temporary name until it is on the disk. If the process is killed, a later call removes it.
  ///
  /// - Parameters:
  ///   - file: A complete database file, which does not change in the meantime.
  ///   - position: The position of the last entry that the file contains.
  /// - Throws: ``SnapshotError/failed(_:)``, or `CancellationError`.
  public func save(_ file: URL, at position: LogPosition) async throws {
    try await BlockingWork.run { work in
      guard let source = try SnapshotFile.open(file.path) else {
        throw SnapshotFile.failure("open", file.path, ENOENT)
      }
      if SnapshotFile.changeTime(of: folder.path) == nil { try SnapshotFile.createFolder(folder) }
      let isSnapshot: (String) -> Bool = { SnapshotName.position(named: $0) != nil }
      let target = try PartialFile.create(path(of: position), removingAbandoned: isSnapshot)
      var hash = SHA256()
      _ = try copy(source, to: target, byteCount: .max, &hash, work)
      let trailer = position.encoded
      trailer.withUnsafeBytes { hash.update($0) }
      try (trailer + hash.digest()).withUnsafeBytes { try target.write($0) }
      try target.complete()
    }
  }

  /// Returns the position of the newest snapshot, without reading snapshots.
  ///
  /// - Returns: The position; nil if the store is empty, or its folder does not exist.
  /// - Throws: ``SnapshotError/failed(_:)``, or `CancellationError`.
  public func latest() async throws -> LogPosition? {
    try await BlockingWork.run { _ in
      try positions().max { ($0.number, $0.digest.description) < ($1.number, $1.digest.description) }
    }
  }

  /// Copies the snapshot of a position to a file, and checks its digest.
  ///
  /// - Parameters:
  ///   - position: The position of a snapshot.
  ///   - file: A file that does not exist, in a folder that does.
  /// - Throws: ``SnapshotError``, or `CancellationError`. After an error, the file does not exist.
  public func fetch(_ position: LogPosition, to file: URL) async throws {
    try await BlockingWork.run { work in
      let path = path(of: position)
      guard let source = try SnapshotFile.open(path) else { throw SnapshotError.notFound(position) }
      if SnapshotFile.changeTime(of: file.path) != nil { throw SnapshotFile.failure("create", file.path, EEXIST) }
      let byteCount = try source.status().byteCount - Self.trailerByteCount
      if byteCount < 0 { throw damaged(path, "it is too short") }
      let target = try PartialFile.create(file.path, removingAbandoned: { $0 == file.lastPathComponent })
      var hash = SHA256()
      let copied = try copy(source, to: target, byteCount: byteCount, &hash, work)
      let trailer = try readAll(source)
      let expected = position.encoded
      expected.withUnsafeBytes { hash.update($0) }
      guard copied == byteCount, trailer == expected + hash.digest() else {
        throw damaged(path, "its SHA-256 digest, or its position, is not what was saved")
      }
      do {
        try target.complete()
      } catch {
        // It did not exist before.
        try? SnapshotFile.remove(file.path)
        throw error
      }
    }
  }

  /// Removes the snapshots with smaller numbers than a position.
  ///
  /// - Parameter position: The position of the oldest snapshot to keep.
  /// - Throws: ``SnapshotError/failed(_:)``, or `CancellationError`.
  public func removeSnapshots(before position: LogPosition) async throws {
    try await BlockingWork.run { work in
      for old in try positions() where old.number < position.number {
        try work.checkCancellation()
        try SnapshotFile.remove(path(of: old))
      }
    }
  }

  // MARK: - Files

  private func positions() throws -> [LogPosition] {
    try SnapshotFile.names(in: folder.path).compactMap(SnapshotName.position(named:))
  }

  private func path(of position: LogPosition) -> String {
    folder.appendingPathComponent(SnapshotName.name(of: position)).path
  }

  private func damaged(_ path: String, _ reason: String) -> SnapshotError {
    .damaged("\(path): \(reason). Remove the file, or save this position again")
  }

  /// Copies bytes.
  ///
  /// - Returns: Their number, which is smaller if the source ends before.
  private func copy(
    _ source: borrowing SnapshotFile, to target: borrowing PartialFile, byteCount: Int, _ hash: inout SHA256,
    _ work: BlockingWork
  ) throws -> Int {
    var buffer = [UInt8](repeating: 0, count: Self.chunkByteCount)
    var copied = 0
    while copied < byteCount {
      try work.checkCancellation()
      let limit = min(buffer.count, byteCount - copied)
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: .init(rebasing: $0.prefix(limit))) }
      if count == 0 { break }
      try buffer.withUnsafeBytes { bytes in
        let chunk = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
        hash.update(chunk)
        try target.write(chunk)
      }
      copied += count
      try didCopyChunk()
    }
    return copied
  }

  /// The bytes of a trailer, and some more if there are any.
  private func readAll(_ source: borrowing SnapshotFile) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: Self.trailerByteCount + 1)
    while bytes.count <= Self.trailerByteCount {
      let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }
}
