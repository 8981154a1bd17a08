// Copying and erasing whole databases.

extension Database {
  /// Replaces the content of another database with a copy of this database.
  ///
  /// ```swift
  /// try source.read { sourceDb in
  ///   try destination.barrierWriteWithoutTransaction { destinationDb in
  ///     try sourceDb.backup(to: destinationDb)
  ///   }
  /// }
  /// ```
  ///
  /// The copy is atomic: the destination is either replaced completely or not changed.
  ///
  /// This method calls `sqlite3_backup_init`, `sqlite3_backup_step` and `sqlite3_backup_finish`.
  ///
  /// - Parameter destDb: The connection to the destination, outside of a transaction.
  /// - Parameter pagesPerStep: The number of pages to copy between two calls of `progress`; all pages if negative.
  /// - Parameter progress: A closure called after each step. If it throws, the backup is cancelled and the error is
  ///   rethrown. An error after the last step is logged and ignored.
  /// - Throws: A `DatabaseError` if a database cannot be read or written.
  public func backup(
    to destDb: Database, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    preconditionAccess()
    destDb.preconditionAccess()
    precondition(pagesPerStep != 0, "pagesPerStep must not be 0: the backup would never end")
    // The backup API does not check `PRAGMA query_only`.
    if destDb.access.isQueryOnly {
      throw DatabaseError(resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
    }
    let backup = try BackupHandle(from: openHandle(), to: destDb.openHandle())
    while true {
      try checkInterruption()
      try destDb.checkInterruption()
      let isCompleted = try destDb.interpretingCopyFailure { try backup.step(pageCount: pagesPerStep) }
      if isCompleted { destDb.changeCapture.databaseWasReplaced() }
      let state = DatabaseBackupProgress(
        remainingPageCount: backup.remainingPageCount, totalPageCount: backup.totalPageCount, isCompleted: isCompleted)
      do {
        try progress?(state)
      } catch let error where isCompleted {
        Self.log(error, "The progress closure of a completed backup threw an error")
      }
      if isCompleted { return }
    }
  }

  /// Removes everything from the database.
  ///
  /// The database becomes a copy of an empty database with a new schema version. `SQLITE_DBCONFIG_RESET_DATABASE` would
  /// restart schema versions: another connection could then confuse a future schema with the one in its cache.
  func erase() throws {
    // The page size of a database in WAL mode cannot change.
    let pageSize = try untraced { try Int.fetchOne(self, sql: "PRAGMA page_size") } ?? 4096
    try DatabaseQueue().inDatabase { empty in
      try empty.execute(sql: "PRAGMA page_size = \(pageSize)")
      try empty.backup(to: self)
    }
  }
}

extension DatabaseReader {
  /// Replaces the content of another database with a copy of this database.
  ///
  /// ```swift
  /// let source = try DatabaseQueue(path: "/var/lib/library.sqlite")
  /// let copy = try DatabaseQueue(path: "/var/backups/library.sqlite")
  /// try source.backup(to: copy)
  /// ```
  ///
  /// The copy is atomic: the destination is either replaced completely or not changed. The destination is locked during
  /// the copy.
  ///
  /// - Parameter writer: The destination.
  /// - Parameter pagesPerStep: The number of pages to copy between two calls of `progress`; all pages if negative.
  /// - Parameter progress: A closure called after each step. If it throws, the backup is cancelled and the error is
  ///   rethrown. An error after the last step is logged and ignored.
  /// - Throws: A `DatabaseError` if a database cannot be read or written.
  public func backup(
    to writer: any DatabaseWriter, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    // Acquire the connections in a fixed order: two queues may be copied into each other concurrently.
    if let own = _core.queueConnection, let other = writer._core.queueConnection,
      ObjectIdentifier(own) < ObjectIdentifier(other)
    {
      try unsafeRead { sourceDb in
        try writer._core.boundedWrite { destDb in
          try sourceDb.backup(to: destDb, pagesPerStep: pagesPerStep, progress: progress)
        }
      }
    } else {
      try writer._core.boundedWrite { destDb in
        try unsafeRead { try $0.backup(to: destDb, pagesPerStep: pagesPerStep, progress: progress) }
      }
    }
  }
}

extension DatabaseWriter {
  /// Removes all tables, views, triggers and indexes from the database.
  @_disfavoredOverload
  public func erase() throws {
    try barrierWriteWithoutTransaction { try $0.erase() }
  }

  /// Removes all tables, views, triggers and indexes from the database.
  public func erase() async throws {
    try await barrierWriteWithoutTransaction { try $0.erase() }
  }
}

extension DatabaseQueue {
  /// Creates an in-memory database with the content of a database file.
  ///
  /// ```swift
  /// let preview = try DatabaseQueue.inMemoryCopy(fromPath: "/usr/share/library/sample.sqlite")
  /// ```
  ///
  /// The copy is read-only if `Configuration.readonly` is true.
  ///
  /// - Parameters:
  ///   - path: The path to the file, which is opened read-only.
  ///   - configuration: The configuration of the copy.
  /// - Returns: A queue on the copy.
  /// - Throws: A `DatabaseError` if the file cannot be opened or copied.
  public static func inMemoryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(ofPath: path, at: .memory, configuration)
  }

  /// Creates a private temporary file with the content of a database file. The copy is deleted when it is closed.
  ///
  /// ```swift
  /// let scratch = try DatabaseQueue.temporaryCopy(fromPath: "/var/lib/library.sqlite")
  /// ```
  ///
  /// The copy is read-only if `Configuration.readonly` is true.
  ///
  /// - Parameters:
  ///   - path: The path to the file, which is opened read-only.
  ///   - configuration: The configuration of the copy.
  /// - Returns: A queue on the copy.
  /// - Throws: A `DatabaseError` if the file cannot be opened or copied.
  public static func temporaryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(ofPath: path, at: .temporary, configuration)
  }

  private static func copy(
    ofPath path: String, at location: DatabaseLocation, _ configuration: Configuration
  ) throws -> DatabaseQueue {
    var sourceConfiguration = Configuration()
    sourceConfiguration.readonly = true
    // An untrusted file is checked before it is copied.
    sourceConfiguration.isUntrusted = configuration.isUntrusted
    sourceConfiguration.busyMode = configuration.busyMode
    sourceConfiguration.environment = configuration.environment
    let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
    return try DatabaseQueue(copyOf: source, at: location, configuration)
  }
}
