import Tidemark

/// A copy of a database into another one.
///
/// ```swift
/// let backup = try db.backup(usingConnection: target)
/// try backup.step()
/// ```
///
/// The target changes at the end, as a whole, or not at all.
public final class Backup: Sendable {
  /// One of the databases of a connection.
  public enum DatabaseName: Sendable, Hashable {
    /// The one that was opened.
    case main

    /// The one of temporary tables.
    case temp

    /// One that was attached.
    case attached(name: String)

    var name: String {
      switch self {
      case .main: "main"
      case .temp: "temp"
      case .attached(let name): name
      }
    }
  }

  /// How much is copied in a step.
  public enum Pages: Sendable, Hashable {
    /// All that is left.
    case all

    /// So many pages.
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

  // Touched inside accesses to both connections only.
  private nonisolated(unsafe) var copy: DatabaseBackup?
  private nonisolated(unsafe) var counts = (all: Int32(0), remaining: Int32(0))

  /// Begins a copy. Nothing is copied before a step.
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

  /// The number of pages, after the last step.
  public var pageCount: Int32 { target.access { _ in counts.all } }

  /// The number of pages that are not copied yet, after the last step.
  public var remainingPages: Int32 { target.access { _ in counts.remaining } }

  /// Copies pages. When all are copied, or the copy was given up, nothing is done.
  public func step(pagesToCopy pages: Pages = .all) throws {
    try Self.access(source, target) { _, _ in
      guard let copy else { return }
      try copy.step(pageCount: pages.number)
      counts = (Int32(clamping: copy.totalPageCount), Int32(clamping: copy.remainingPageCount))
    }
  }

  /// Ends the copy. When it is not complete, the target stays what it was.
  public func finish() {
    Self.accessBoth(source, target) { _, _ in copy = nil }
  }

  private static func access<T>(
    _ source: Connection, _ target: Connection, _ body: (Database, Database) throws -> T
  ) throws -> T {
    try target.translating { try accessBoth(source, target, body) }
  }

  // Two connections that are copied into each other at the same time are entered in the same order by both.
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
  /// A copy of this database into that of another connection, whose content it replaces.
  public func backup(
    databaseName: Backup.DatabaseName = .main, usingConnection connection: Connection,
    andDatabaseName name: Backup.DatabaseName = .main
  ) throws -> Backup {
    try Backup(
      sourceConnection: self, sourceName: databaseName, targetConnection: connection, targetName: name)
  }
}
