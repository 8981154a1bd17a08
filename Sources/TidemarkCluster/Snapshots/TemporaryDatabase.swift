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
