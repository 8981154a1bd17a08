import FoundationEssentials

// Running migrations on database writers. This file belongs to Connections because the schema module cannot depend on
// connections.

extension DatabaseMigrator {
  /// Applies all unapplied migrations.
  ///
  /// ```swift
  /// let dbPool = try DatabasePool(path: "/var/lib/library.sqlite")
  /// try migrator.migrate(dbPool)
  /// ```
  ///
  /// Migrations exclude all other accesses to the queue or pool.
  ///
  /// - Parameter writer: A database queue or pool.
  /// - Throws: The error of the first migration that fails. Previous migrations stay applied.
  public func migrate(_ writer: any DatabaseWriter) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: nil) }
  }

  /// Applies all unapplied migrations up to a given one.
  ///
  /// ```swift
  /// try migrator.migrate(dbQueue, upTo: "v2")
  /// ```
  ///
  /// - Parameter writer: A database queue or pool.
  /// - Parameter targetIdentifier: The identifier of the last migration to apply.
  /// - Throws: The error of the first migration that fails. Previous migrations stay applied.
  /// - Precondition: The migration is registered, and no later migration is applied.
  public func migrate(_ writer: any DatabaseWriter, upTo targetIdentifier: String) throws {
    try writer.barrierWriteWithoutTransaction { try migrate($0, upTo: targetIdentifier) }
  }

  /// Schedules the unapplied migrations, and returns immediately.
  ///
  /// ```swift
  /// migrator.asyncMigrate(dbPool) { result in
  ///   if case .failure(let error) = result { logger.error("Migration failed: \(error)") }
  /// }
  /// ```
  ///
  /// - Parameter writer: A database queue or pool.
  /// - Parameter completion: A closure called with the outcome, on the writer connection.
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

  /// Applies all unapplied migrations, or those up to a given one. The task is suspended until they have completed.
  ///
  /// ```swift
  /// try await migrator.asyncMigrate(dbPool)
  /// ```
  ///
  /// If the task is cancelled, the running migration is rolled back. Previous migrations stay applied.
  ///
  /// - Parameter writer: A database queue or pool.
  /// - Parameter targetIdentifier: The identifier of the last migration to apply, or nil for all migrations.
  /// - Throws: The error of the first migration that fails, or a `CancellationError`.
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

  /// Returns whether the applied migrations differ from the registered ones: an applied migration is not registered, or
  /// the registered migrations produce another schema.
  ///
  /// This method applies the registered migrations to a temporary database.
  ///
  /// ```swift
  /// if try dbQueue.read(migrator.hasSchemaChanges) { try dbQueue.erase() }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: Whether the schema has to be recreated.
  /// - Throws: A `DatabaseError`, or the error of a migration.
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
    configuration.writerExtension = nil
    // A named file is required: SQLite opens unnamed files lazily, and `sqlite3_file_control` would fail until then.
    return try Self.withScratchFolder { folder in
      let scratch = try DatabaseQueue(path: folder + "/scratch.sqlite", configuration: configuration)
      return try scratch.writeWithoutTransaction { scratchDb in
        try scratchDb.untraced { try scratchDb.execute(sql: "PRAGMA synchronous = OFF") }
        try apply(scratchDb, upTo: last)
        return try scratchDb.userSchema() != db.userSchema()
      }
    }
  }

  /// Calls a closure with a new private folder, and then removes the folder.
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
  /// Returns the schema objects that the program has created in the main database.
  fileprivate func userSchema() throws -> Set<SchemaObjects.Object> {
    let objects = try freshCatalog().objects(in: .main, self).all
    return Set(
      objects.filter { object in
        !CaptureNeeds.isTableOfLibrary(object.tableName)
          && !Self.isSQLiteInternalTable(object.name) && !Self.isGRDBInternalTable(object.name)
          && !Self.isGRDBInternalTable(object.tableName)
      })
  }
}
