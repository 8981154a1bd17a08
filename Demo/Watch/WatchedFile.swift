import Foundation
import Tidemark

/// The database of a file, opened to be looked at.
enum WatchedFile {
  /// - throws: `Failure.file`.
  static func open(_ path: String) throws -> DatabasePool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw Failure.file(path: path, "there is no such file")
    }
    if isFolder.boolValue { throw Failure.file(path: path, "it is a directory") }
    if access(path, R_OK) != 0 { throw Failure.file(path: path, String(cString: strerror(errno))) }
    var configuration = Configuration()
    configuration.readonly = true
    configuration.label = "Demo"
    do {
      let pool = try DatabasePool(path: path, configuration: configuration)
      // A file that is no database is found out by the first one who reads it.
      _ = try pool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema") }
      return pool
    } catch DatabaseError.SQLITE_NOTADB {
      throw Failure.file(path: path, "it is no database")
    } catch {
      throw Failure.file(path: path, sentence(for: error))
    }
  }

  /// The queries, looked at.
  ///
  /// - throws: `Failure.query`.
  static func queries(_ texts: [String], in reader: some DatabaseReader) throws -> [Query] {
    try texts.map { sql in
      do {
        return try reader.read { db in try Query(sql, db) }
      } catch {
        throw Failure.query(sql: sql, sentence(for: error))
      }
    }
  }
}
