import Foundation
import Tidemark

/// The folder for the databases: in memory if the machine has such a folder, so that no disk is measured.
struct BenchmarkFolder {
  let url: URL

  init() throws {
    let shared = URL(filePath: "/dev/shm", directoryHint: .isDirectory)
    let isShared = FileManager.default.isWritableFile(atPath: shared.path())
    let parent = isShared ? shared : FileManager.default.temporaryDirectory
    url = parent.appending(path: "tidemark-benchmarks-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appending(path: name).path() }

  func remove() {
    // The program is about to end, and cannot report the error.
    try? FileManager.default.removeItem(at: url)
  }
}

/// A database of items for each side, created on first use.
final class ItemDatabases {
  private let folder: BenchmarkFolder
  private let name: String
  private let count: Int
  private let more: String
  private var made: (library: DatabaseQueue, bare: BareConnection)?

  var library: DatabaseQueue { get throws { try both().library } }
  var bare: BareConnection { get throws { try both().bare } }

  /// - Parameter count: The number of items.
  /// - Parameter more: SQL that adds further contents.
  init(_ folder: BenchmarkFolder, _ name: String, count: Int, more: String = "") {
    self.folder = folder
    self.name = name
    self.count = count
    self.more = more
  }

  func make() throws { _ = try both() }

  private func both() throws -> (library: DatabaseQueue, bare: BareConnection) {
    if let made { return made }
    // Opened by the library first, so that both files have the same settings.
    let library = try DatabaseQueue(path: folder.path("\(name)-library.sqlite"))
    let bare = try BareConnection(folder.path("\(name)-bare.sqlite"))
    let schema = """
      CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, ratio REAL, data BLOB, date TEXT);
      WITH RECURSIVE number (n) AS (SELECT 1 WHERE \(count) > 0 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
      INSERT INTO item
      SELECT n, 'the name of item ' || (n % 64), n, n * 0.5, zeroblob(32), '2023-11-14 22:13:20.123' FROM number;
      \(more)
      """
    try library.write { try $0.execute(sql: schema) }
    try bare.execute(schema)
    made = (library, bare)
    return (library, bare)
  }
}
