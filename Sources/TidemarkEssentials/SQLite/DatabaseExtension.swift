/// An extension of SQLite, written in C: functions, collations, virtual tables.
///
/// ```swift
/// var config = Configuration()
/// config.extensions = [.library("/usr/lib/sqlite3/vec0.so")]
/// let dbQueue = try DatabaseQueue(path: path, configuration: config)
/// ```
///
/// An extension runs in the process of the program, with all its rights: use only extensions that you trust. It must
/// not install hooks, because the library uses the hooks of its connections. Changes that an extension makes without
/// SQL statements of the program are reported to observers at the end of the access.
///
/// See ``Configuration/extensions``.
public struct DatabaseExtension: Sendable {
  enum Source: Sendable {
    case library(path: String, entryPoint: String?)
    case linked(EntryPoint)
  }

  /// The path or the name, for error messages.
  let name: String
  let source: Source

  /// Registers the extension on a connection.
  func load(on handle: ConnectionHandle) throws {
    do {
      switch source {
      case .library(let path, let entryPoint): try handle.loadExtension(atPath: path, entryPoint: entryPoint)
      case .linked(let entryPoint): try handle.registerExtension(entryPoint)
      }
    } catch let error as DatabaseError {
      throw error.withMessage("could not load the extension \(name): \(error.message ?? error.resultCode.description)")
    }
  }
}
