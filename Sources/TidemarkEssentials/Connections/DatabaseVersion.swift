/// The version of a database: each commit, of any connection or process, makes a greater one.
///
/// ```swift
/// let version = try await dbPool.databaseVersion()
/// ```
///
/// Versions belong to an open database: versions of two pools on the same file cannot be compared. In a queue, several
/// external commits may count as one version.
///
/// See ``ValueObservation/withDatabaseVersions()``.
public struct DatabaseVersion: Hashable, Comparable, Sendable {
  let number: UInt64

  init(_ number: UInt64) {
    self.number = number
  }

  /// Returns whether a version is older than another one of the same open database.
  public static func < (lhs: DatabaseVersion, rhs: DatabaseVersion) -> Bool { lhs.number < rhs.number }
}

extension DatabaseVersion: CustomStringConvertible {
  /// The number of the version, for logs.
  public var description: String { "\(number)" }
}

extension DatabaseReader {
  /// Returns the version of the database after its last commit.
  ///
  /// It blocks the thread like `read`. Call it after a write: the version includes the write.
  ///
  /// ```swift
  /// try dbPool.write { db in try player.update(db) }
  /// let version = try dbPool.databaseVersion()
  /// ```
  ///
  /// - Returns: Nil in a snapshot, and in a pool whose file is not in WAL mode.
  /// - Throws: The errors of `read`.
  public func databaseVersion() throws -> DatabaseVersion? {
    let core = _core
    for _ in 0..<databaseVersionAttemptMax {
      if case .known(let version) = try read({ try core.databaseVersion($0) }) { return version }
    }
    return nil
  }

  /// Returns the version of the database after its last commit.
  ///
  /// Call it after a write: the version includes the write.
  ///
  /// ```swift
  /// try await dbPool.write { db in try player.update(db) }
  /// let version = try await dbPool.databaseVersion()
  /// ```
  ///
  /// - Returns: Nil in a snapshot, and in a pool whose file is not in WAL mode.
  /// - Throws: The errors of `read`, such as `CancellationError`.
  public func databaseVersion() async throws -> DatabaseVersion? {
    let core = _core
    for _ in 0..<databaseVersionAttemptMax {
      if case .known(let version) = try await read({ try core.databaseVersion($0) }) { return version }
    }
    return nil
  }
}

/// The maximum number of attempts that fail because of a commit at the moment of the snapshot.
let databaseVersionAttemptMax = 10_000

/// The version of a snapshot, as far as it can be determined.
enum SnapshotVersion: Equatable {
  /// The version; nil if the database has none.
  case known(DatabaseVersion?)

  /// A commit happened while the snapshot was taken: the version is this one, or a newer one. Nil if the header of the
  /// log was being written.
  case atLeast(DatabaseVersion?)

  /// The version that the snapshot certainly includes.
  var lowerBound: DatabaseVersion? {
    switch self {
    case .known(let version), .atLeast(let version): version
    }
  }
}

extension _DatabaseCore {
  /// Returns the version of a snapshot.
  ///
  /// - Parameter db: A connection with this snapshot.
  func databaseVersion(of state: SnapshotState, _ db: Database) throws -> SnapshotVersion {
    guard let writer else { return .known(nil) }
    // Own commits are counted when they are reported, external ones by SQLite.
    if fetchesExcludeWrites {
      return .known(DatabaseVersion(writer.changeBroker.writeCount + UInt64(clamping: try db.dataVersion())))
    }
    guard let header = state.olderHeader else { return state.hasLog ? .atLeast(nil) : .known(nil) }
    let version = DatabaseVersion(number(of: header))
    return state.header == nil ? .atLeast(version) : .known(version)
  }

  /// Returns the version of the snapshot of a new transaction. If it is not known, another transaction may have a known
  /// one.
  func databaseVersion(_ db: Database) throws -> SnapshotVersion {
    if writer == nil { return .known(nil) }
    return try databaseVersion(of: fetchesExcludeWrites ? SnapshotState() : db.acquireSnapshotState(), db)
  }
}
