import Foundation
import StressSupport

extension TestFolder {
  /// Copies the files of a database in their current state, as a crash of the process would leave them: without
  /// the WAL-index, which does not survive the process.
  func copyDatabase(_ path: String, to name: String) throws {
    for suffix in ["", "-wal", "-journal"] {
      let copy = self.path(name + suffix)
      if FileManager.default.fileExists(atPath: copy) { try FileManager.default.removeItem(atPath: copy) }
      if FileManager.default.fileExists(atPath: path + suffix) {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy)
      }
    }
    let index = self.path(name + "-shm")
    if FileManager.default.fileExists(atPath: index) { try FileManager.default.removeItem(atPath: index) }
  }
}
