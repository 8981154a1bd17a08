import Foundation

/// A file that gets its name when it is complete: other processes see the whole file, or none.
///
/// A process that is killed leaves an incomplete file. The next one that creates a file with such a name removes it.
struct PartialFile: ~Copyable {
  /// How long an incomplete file was not changed when it is removed, in seconds.
  private static let abandonedAfter = 3_600

  private let path: String
  private let file: SnapshotFile
  private var isComplete = false

  private init(_ path: String, _ file: consuming SnapshotFile) {
    self.path = path
    self.file = file
  }

  /// Creates an empty file, and removes abandoned ones.
  ///
  /// - Parameters:
  ///   - path: The path of the complete file.
  ///   - isRelated: Which abandoned files in the same folder are removed, by the names of the complete files.
  static func create(_ path: String, removingAbandoned isRelated: (String) -> Bool) throws -> PartialFile {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent()
    let name = SnapshotName.partialName(of: url.lastPathComponent)
    let partial = PartialFile(path, try SnapshotFile.create(folder.appendingPathComponent(name).path))
    // The clock of the file system, which may be on another machine.
    let now = try partial.file.status().changed
    for name in try SnapshotFile.names(in: folder.path) {
      guard let completeName = SnapshotName.completeName(ofPartial: name), isRelated(completeName) else { continue }
      let other = folder.appendingPathComponent(name).path
      if let changed = SnapshotFile.changeTime(of: other), changed < now - abandonedAfter {
        // If it cannot be removed, it only takes space.
        try? SnapshotFile.remove(other)
      }
    }
    return partial
  }

  /// Removes the file, unless it is complete.
  deinit {
    // There is an error already, which is more important.
    if !isComplete { try? SnapshotFile.remove(file.path) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws { try file.write(bytes) }

  /// Gives the file its name, after its contents are on the disk. After an error, it may have its name nevertheless.
  consuming func complete() throws {
    try file.synchronize()
    try SnapshotFile.rename(file.path, to: path)
    isComplete = true
    try SnapshotFile.synchronizeFolder(of: path)
  }
}
