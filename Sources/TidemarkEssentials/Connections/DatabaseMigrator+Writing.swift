import FoundationEssentials

// Migrating a database. It stands here, and not with the migrator, since a module knows those before it alone.

extension DatabaseMigrator {
  /// Applies the migrations that were not applied yet.
  ///
  /// Nobody else reads or writes through the same queue or pool meanwhile.
  ///
  /// - throws: The error of the first migration that fails. Those before it stay applied.
  public func migrate(_ writer: any DatabaseWriter) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: nil) }
  }

  /// Applies the migrations that were not applied yet, up to one of them.
  ///
  /// - precondition: There is a migration of that name, and none after it was applied.
  /// - throws: The error of the first migration that fails. Those before it stay applied.
  public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
  }

  /// Applies later the migrations that were not applied yet.
  ///
  /// - parameter completion: Told the outcome, on the connection that writes.
  public func asyncMigrate(
    _ writer: any DatabaseWriter, completion: @escaping @Sendable (Result<Database, any Error>) -> Void
  ) {
    writer.asyncBarrierWriteWithoutTransaction { result in
      completion(
        Result {
          let db = try result.get()
          try migrate(db, upTo: nil)
          return db
        })
    }
  }

  /// Applies the migrations that were not applied yet, up to one of them or to the last. The task is suspended
  /// meanwhile.
  ///
  /// ```swift
  /// try await migrator.asyncMigrate(dbPool)
  /// ```
  ///
  /// When the task is cancelled, the migration that runs is undone; those before it stay applied.
  public func asyncMigrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String? = nil) async throws {
    try await writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
  }

  private func migrate(_ db: Database, upTo target: String?) throws {
    if eraseDatabaseOnSchemaChange, try db.committing({ try hasSchemaChanges($0) }, kind: .deferred) {
      try db.erase()
    }
    try apply(db, upTo: target)
  }

  // MARK: - Changed migrations

  /// Whether the migrations that were applied are not those that are registered: one is unknown, or they make another
  /// schema by now.
  ///
  /// The migrations are applied to a temporary database for that.
  public func hasSchemaChanges(_ db: Database) throws -> Bool {
    let applied = try appliedIdentifiers(db)
    if !applied.isSubset(of: knownIdentifiers) { return true }
    guard let last = migrations.last(where: applied.contains) else { return false }
    var configuration = db.configuration
    configuration.readonly = false
    configuration.label = nil
    configuration.filePermissions = nil
    configuration.targetQueue = nil
    configuration.writeTargetQueue = nil
    configuration.journalMode = .default
    // A file with a name: SQLite opens others late, and `sqlite3_file_control` fails until then.
    return try Self.withScratchFolder { folder in
      let scratch = try DatabaseQueue(path: folder + "/scratch.sqlite", configuration: configuration)
      return try scratch.writeWithoutTransaction { scratchDb in
        try scratchDb.untraced { try scratchDb.execute(sql: "PRAGMA synchronous = OFF") }
        try apply(scratchDb, upTo: last)
        return try scratchDb.userSchema() != db.userSchema()
      }
    }
  }

  /// Runs a closure with a new folder that other users cannot read, and removes that folder.
  private static func withScratchFolder<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(component: "tidemark-migrations-\(UUID().uuidString)")
    try files.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer {
      do {
        try files.removeItem(at: folder)
      } catch {
        Database.log(error, "The folder of a temporary database could not be removed: \(folder.path)")
      }
    }
    return try body(folder.path)
  }
}

extension Database {
  /// What the program has created in the main database, whatever the order.
  fileprivate func userSchema() throws -> Set<SchemaObjects.Object> {
    let objects = try freshCatalog().objects(in: .main, self).all
    return Set(
      objects.filter { object in
        !Self.isSQLiteInternalTable(object.name) && !Self.isGRDBInternalTable(object.name)
          && !Self.isGRDBInternalTable(object.tableName)
      })
  }
}
