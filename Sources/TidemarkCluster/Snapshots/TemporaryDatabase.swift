import Foundation
import Tidemark

/// A database file for a moment: a copy that becomes a snapshot, or a snapshot that will be installed.
struct TemporaryDatabase {
  let file: URL

  /// - Parameter path: The file is beside the file with this path, so that it is on the same disk.
  init(beside path: String, _ purpose: String) {
    file = URL(fileURLWithPath: "\(path).\(purpose)-\(UUID().uuidString)")
  }

  /// Copies a database into the file, and changes the copy in a transaction. The file needs no write-ahead log then.
  func write<Value>(backupOf source: some DatabaseReader, _ updates: (Database) throws -> Value) throws -> Value {
    let copy = try DatabaseQueue(path: file.path)
    try source.backup(to: copy)
    let value = try copy.write(updates)
    try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try copy.close()
    return value
  }

  /// The database with pages of a size: SQLite copies no others into a file with a write-ahead log.
  ///
  /// - Parameters:
  ///   - copy: Becomes the result if the pages have another size. Row IDs stay the same.
  ///   - configuration: Has the collations and functions of the schema.
  func withPages(
    of size: Int, in copy: TemporaryDatabase, _ configuration: Configuration
  ) throws -> TemporaryDatabase {
    let queue = try DatabaseQueue(path: file.path, configuration: configuration)
    let result = try queue.writeWithoutTransaction { db in
      if try Int.fetchOne(db, sql: "PRAGMA page_size") == size { return self }
      try db.execute(sql: "PRAGMA page_size = \(size)")
      // Unlike this, VACUUM changes row IDs.
      try db.execute(sql: "VACUUM INTO ?", arguments: [copy.file.path])
      return copy
    }
    try queue.close()
    return result
  }

  /// Removes the file, if it exists.
  func remove() {
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
