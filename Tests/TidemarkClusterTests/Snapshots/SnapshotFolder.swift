import Foundation

@testable import TidemarkCluster

/// A temporary folder with a store of snapshots.
final class SnapshotFolder: Sendable {
  let root = FileManager.default.temporaryDirectory.appendingPathComponent("snapshots-\(UUID().uuidString)")

  /// The folder of the store, which is created by the first save.
  var shared: URL { root.appendingPathComponent("shared") }

  var store: DirectorySnapshotStore { DirectorySnapshotStore(shared) }

  init() throws {
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  /// A path for a fetched file.
  func target(_ name: String = "fetched.db") -> URL { root.appendingPathComponent(name) }

  /// Writes a file.
  func file(_ bytes: [UInt8], named name: String = "database.db") throws -> URL {
    let file = root.appendingPathComponent(name)
    try Data(bytes).write(to: file)
    return file
  }

  /// The names of the files in the shared folder.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: shared.path).sorted() } }

  /// The names of incomplete files, anywhere.
  var partialNames: [String] {
    get throws { try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".partial") } }
  }

  /// The path of the snapshot of a position.
  func path(of position: LogPosition) -> URL { shared.appendingPathComponent(SnapshotName.name(of: position)) }

  /// Makes a file look as if it was changed some time ago.
  func age(_ file: URL, minutes: Double) throws {
    let date = Date(timeIntervalSinceNow: -minutes * 60)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
  }
}

extension LogPosition {
  /// A position with a digest that depends on its number.
  static func sample(_ number: UInt64) -> LogPosition {
    LogPosition(number: number, digest: LogDigest(of: number.bigEndianBytes))
  }
}

/// Bytes that are different in each place.
func sampleBytes(_ count: Int, _ seed: UInt64 = 1) -> [UInt8] {
  var random = LogRandom(seed: seed)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes += $0 } }
  return Array(bytes.prefix(count))
}
