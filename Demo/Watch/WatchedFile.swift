import Foundation
import Tidemark

/// A database file that is opened for watching.
///
/// Another file may replace it: it is removed and created again, or another one is renamed over it. See `checkFile`.
struct WatchedFile {
  let path: String
  private(set) var pool: DatabasePool

  /// Keeps the file open. While it is open, no other file gets the same identity.
  private var identity: Identity?

  /// Why the file cannot be read, as returned by the last `checkFile`.
  private var failure: String?

  /// A change of the file.
  enum Message {
    case opened(DatabasePool)
    case failed(String)
  }

  private struct Identity: Equatable {
    var device: UInt64
    var number: UInt64

    init?(path: String) {
      var facts = stat()
      guard stat(path, &facts) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: facts.st_dev)
      number = UInt64(truncatingIfNeeded: facts.st_ino)
    }
  }

  /// - Throws: `Failure.file` if the file cannot be opened.
  init(_ path: String) throws {
    self.path = path
    // Determined before the file is opened: a file that replaces it meanwhile is opened at the first check.
    identity = Identity(path: path)
    pool = try Self.open(path)
  }

  /// Checks whether the file has been replaced or removed.
  ///
  /// - Returns: The change since the last call, if any.
  mutating func checkFile() -> Message? {
    let now = Identity(path: path)
    if now == identity {
      if failure == nil { return nil }
      failure = nil
      return .opened(pool)
    }
    do {
      pool = try Self.open(path)
      identity = now
      failure = nil
      return .opened(pool)
    } catch {
      let sentence = (error as? Failure).map(\.reason) ?? "\(error)"
      if failure == sentence { return nil }
      failure = sentence
      return .failed(sentence)
    }
  }

  private static func open(_ path: String) throws -> DatabasePool {
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
      // The first read reports a file that is not a database.
      _ = try pool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM sqlite_schema") }
      return pool
    } catch DatabaseError.SQLITE_NOTADB {
      throw Failure.file(path: path, "it is no database")
    } catch {
      throw Failure.file(path: path, sentence(for: error))
    }
  }

  /// Returns the checked queries.
  ///
  /// - Throws: `Failure.query` for the first invalid query.
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
