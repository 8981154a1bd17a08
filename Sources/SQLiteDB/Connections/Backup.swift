import Tidemark

/// A copy of a database to another one.
///
/// ```swift
/// let backup = try db.backup(usingConnection: target)
/// try backup.step()
/// ```
///
/// The target changes atomically when the copy is complete.
public final class Backup: Sendable {
  /// The name of a database of a connection.
  public enum DatabaseName: Sendable, Hashable {
    /// The main database.
    case main

    /// The database of temporary tables.
    case temp

    /// An attached database.
    case attached(name: String)

    var name: String {
      switch self {
      case .main: "main"
      case .temp: "temp"
      case .attached(let name): name
      }
    }
  }

  /// The number of pages that a step copies.
  public enum Pages: Sendable, Hashable {
    /// All remaining pages.
    case all

    /// At most this number of pages.
    case limited(number: Int32)

    var number: Int32 {
      switch self {
      case .all: -1
      case .limited(let number): number
      }
    }
  }

  private let source: Connection
  private let target: Connection

  // Used inside accesses to both connections only.
  private nonisolated(unsafe) var copy: DatabaseBackup?
  private nonisolated(unsafe) var counts = (all: Int32(0), remaining: Int32(0))

  /// Begins a backup. No page is copied before the first step.
  ///
  /// ```swift
  /// let backup = try Backup(sourceConnection: db, targetConnection: target)
  /// ```
  ///
  /// - Parameters:
  ///   - sourceConnection: The connection to copy from.
  ///   - sourceName: The database to copy.
  ///   - targetConnection: The connection to copy to.
  ///   - targetName: The database whose content is replaced.
  /// - Throws: A ``Result`` if the backup cannot begin.
  public init(
    sourceConnection: Connection, sourceName: DatabaseName = .main, targetConnection: Connection,
    targetName: DatabaseName = .main
  ) throws {
    source = sourceConnection
    target = targetConnection
    copy = try Self.access(source, target) { source, target in
      try DatabaseBackup(from: source, sourceName.name, to: target, targetName.name)
    }
  }

  deinit { finish() }

  /// The number of pages of the source, after the last step.
  public var pageCount: Int32 { target.access { _ in counts.all } }

  /// The number of pages that remain to be copied, after the last step.
  public var remainingPages: Int32 { target.access { _ in counts.remaining } }

  /// Copies pages. Does nothing if the copy is complete or was finished.
  ///
  /// ```swift
  /// let backup = try db.backup(usingConnection: target)
  /// repeat {
  ///   try backup.step(pagesToCopy: .limited(number: 100))
  /// } while backup.remainingPages > 0
  /// ```
  ///
  /// - Parameter pages: The number of pages to copy.
  /// - Throws: A ``Result`` if a page cannot be copied.
  public func step(pagesToCopy pages: Pages = .all) throws {
    try Self.access(source, target) { _, _ in
      guard let copy else { return }
      try copy.step(pageCount: pages.number)
      counts = (Int32(clamping: copy.totalPageCount), Int32(clamping: copy.remainingPageCount))
    }
  }

  /// Ends the backup. If the copy is incomplete, the target is unchanged.
  ///
  /// ```swift
  /// let backup = try db.backup(usingConnection: target)
  /// try backup.step()
  /// backup.finish()
  /// ```
  public func finish() {
    Self.accessBoth(source, target) { _, _ in copy = nil }
  }

  private static func access<T>(
    _ source: Connection, _ target: Connection, _ body: (Database, Database) throws -> T
  ) throws -> T {
    try target.translating { try accessBoth(source, target, body) }
  }

  // Two simultaneous backups between the same connections access them in the same order, so they cannot deadlock.
  private static func accessBoth<T>(
    _ source: Connection, _ target: Connection, _ body: (Database, Database) throws -> T
  ) rethrows -> T {
    if ObjectIdentifier(source.writer) < ObjectIdentifier(target.writer) {
      try source.access { source in try target.access { try body(source, $0) } }
    } else {
      try target.access { target in try source.access { try body($0, target) } }
    }
  }
}

extension Connection {
  /// Begins a backup of this database to another connection, whose database it replaces.
  ///
  /// ```swift
  /// let copy = try Connection("path/to/copy.sqlite3")
  /// try db.backup(usingConnection: copy).step()
  /// ```
  ///
  /// - Parameters:
  ///   - databaseName: The database to copy.
  ///   - connection: The connection to copy to.
  ///   - name: The database whose content is replaced.
  /// - Returns: The backup. No page is copied before its first step.
  /// - Throws: A ``Result`` if the backup cannot begin.
  public func backup(
    databaseName: Backup.DatabaseName = .main, usingConnection connection: Connection,
    andDatabaseName name: Backup.DatabaseName = .main
  ) throws -> Backup {
    try Backup(
      sourceConnection: self, sourceName: databaseName, targetConnection: connection, targetName: name)
  }
}
