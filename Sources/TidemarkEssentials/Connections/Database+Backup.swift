// Copies of whole databases.

extension Database {
  /// Copies the database into another one, whose content is replaced.
  ///
  /// ```swift
  /// try source.read { sourceDb in
  ///   try destination.barrierWriteWithoutTransaction { destinationDb in
  ///     try sourceDb.backup(to: destinationDb)
  ///   }
  /// }
  /// ```
  ///
  /// The destination changes at the end, as a whole, or not at all.
  ///
  /// - parameter destDb: The connection to the other database. No transaction is open there.
  /// - parameter pagesPerStep: How many pages are copied between two reports, all of them when it is negative.
  /// - parameter progress: Told how far the backup is. An error that it throws gives the backup up, and is thrown
  ///   again; after the last step it is too late, and the error is ignored.
  ///
  /// C: `sqlite3_backup_init` and its siblings.
  public func backup(
    to destDb: Database, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    preconditionAccess()
    destDb.preconditionAccess()
    precondition(pagesPerStep != 0, "A backup of no pages per step would never end")
    // SQLite does not ask whether statements may write there.
    if destDb.isQueryOnly {
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
        Self.log(error, "The backup was complete when its progress closure threw")
      }
      if isCompleted { return }
    }
  }

  /// Removes everything from the database.
  ///
  /// It becomes a copy of an empty one, whose schema has a version of its own. Were the database reset
  /// (`SQLITE_DBCONFIG_RESET_DATABASE`), versions would begin anew, and other connections could take the schema that is
  /// made next for the one that they know.
  func erase() throws {
    // In a database with a write-ahead log, pages keep their size.
    let pageSize = try untraced { try Int.fetchOne(self, sql: "PRAGMA page_size") } ?? 4096
    try DatabaseQueue().inDatabase { empty in
      try empty.execute(sql: "PRAGMA page_size = \(pageSize)")
      try empty.backup(to: self)
    }
  }
}

extension DatabaseReader {
  /// Copies the database into another one, whose content is replaced.
  ///
  /// ```swift
  /// let source = try DatabaseQueue(path: "/var/lib/library.sqlite")
  /// let copy = try DatabaseQueue(path: "/var/backups/library.sqlite")
  /// try source.backup(to: copy)
  /// ```
  ///
  /// The destination changes at the end, as a whole, or not at all. It is locked meanwhile.
  ///
  /// - parameter writer: The other database.
  /// - parameter pagesPerStep: How many pages are copied between two reports, all of them when it is negative.
  /// - parameter progress: Told how far the backup is. An error that it throws gives the backup up, and is thrown
  ///   again; after the last step it is too late, and the error is ignored.
  public func backup(
    to writer: any DatabaseWriter, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
  ) throws {
    // Two queues that are copied into each other at the same time are entered in the same order by both.
    if let own = queueIdentity, let other = writer.queueIdentity, own < other {
      try unsafeRead { sourceDb in
        try writer._boundedWriteWithoutTransaction { destDb in
          try sourceDb.backup(to: destDb, pagesPerStep: pagesPerStep, progress: progress)
        }
      }
    } else {
      try writer._boundedWriteWithoutTransaction { destDb in
        try unsafeRead { try $0.backup(to: destDb, pagesPerStep: pagesPerStep, progress: progress) }
      }
    }
  }
}

extension DatabaseReader {
  /// The identity of the one connection that is used by reads and writes, nil when these use several.
  fileprivate var queueIdentity: ObjectIdentifier? {
    switch self {
    case let reader as AnyDatabaseReader: reader.base.queueIdentity
    case let writer as AnyDatabaseWriter: writer.base.queueIdentity
    case let queue as DatabaseQueue: ObjectIdentifier(queue)
    default: nil
    }
  }
}

extension DatabaseWriter {
  /// Removes everything from the database: tables, views, triggers, indexes.
  @_disfavoredOverload
  public func erase() throws {
    try barrierWriteWithoutTransaction { try $0.erase() }
  }

  /// Removes everything from the database: tables, views, triggers, indexes.
  public func erase() async throws {
    try await barrierWriteWithoutTransaction { try $0.erase() }
  }
}

extension DatabaseQueue {
  /// Copies a database file into a database in memory.
  ///
  /// ```swift
  /// let preview = try DatabaseQueue.inMemoryCopy(fromPath: "/usr/share/library/sample.sqlite")
  /// ```
  ///
  /// With `Configuration.readonly`, the copy cannot be written.
  ///
  /// - Parameters:
  ///   - path: The path to the file, which is opened read-only.
  ///   - configuration: How the copy is opened.
  /// - Returns: The copy.
  /// - Throws: An error when the file cannot be opened or copied.
  public static func inMemoryCopy(
    fromPath path: String, configuration: Configuration = Configuration()
  ) throws -> DatabaseQueue {
    try copy(ofPath: path, at: .memory, configuration)
  }

  /// Copies a database file into a private temporary file, which is deleted when the copy is closed.
  ///
  /// With `Configuration.readonly`, the copy cannot be written.
  ///
  /// - Parameters:
  ///   - path: The path to the file, which is opened read-only.
  ///   - configuration: How the copy is opened.
  /// - Returns: The copy.
  /// - Throws: An error when the file cannot be opened or copied.
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
    // A file from somebody else is checked before it is copied.
    sourceConfiguration.isUntrusted = configuration.isUntrusted
    sourceConfiguration.busyMode = configuration.busyMode
    sourceConfiguration.environment = configuration.environment
    let source = try DatabaseQueue(path: path, configuration: sourceConfiguration)
    return try DatabaseQueue(copyOf: source, at: location, configuration)
  }
}
