import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// Opening a connection, in this order: open the file; set safety options; add functions and collations; load
// extensions; call the closures of `prepareDatabase`; execute a first read, which fails if the file is not a database.

extension Database {
  /// Opens a connection.
  ///
  /// - Parameter label: The label of the connection.
  /// - Parameter health: The health of the database, shared by all connections of a queue or pool.
  static func open(
    _ location: DatabaseLocation, _ configuration: Configuration, label: String, health: DatabaseHealth
  ) throws -> Database {
    if let refusal = health.refusal { throw refusal }
    try configuration.checkExtensions()
    if let permissions = configuration.filePermissions, !configuration.readonly, case .file = location {
      try FileCreation.create(atPath: location.name, permissions: permissions)
    }
    var flags = configuration.readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    if location.isURI { flags |= SQLITE_OPEN_URI }
    let handle = try ConnectionHandle.open(location.name, flags: flags, vfs: configuration.environment.vfs)
    let db: Database
    do {
      var settings = DatabaseSettings(configuration, label: label)
      settings.health = health
      settings.isInFile = handle.filePath(of: "main") != nil
      db = try Database(handle: handle, settings: settings)
    } catch {
      handle.closeEventually()
      throw error
    }
    do {
      try db.withAccess { db in
        try db.prepare(configuration, location)
        if case .file = location { try db.checkIdentity(ofFileAtPath: location.name) }
      }
    } catch {
      db.closeAfterLastStatement()
      guard case .file = location, let error = error as? DatabaseError else { throw error }
      throw error.explained(forFileAtPath: location.name)
    }
    return db
  }

  private func prepare(_ configuration: Configuration, _ location: DatabaseLocation) throws {
    let handle = try openHandle()
    if !configuration.readonly {
      var bound = configuration.environment.changeLogBound
      bound.vfs = bound.vfs ?? configuration.environment.vfs
      beginCapture(usesRowHook: configuration.environment.usesRowHook, bound: bound)
    }
    try handle.harden(configuration)
    if configuration.invalidTextPolicy == .refuse { InvalidText.refuse(by: handle.pointer) }
    try install(configuration.busyMode)
    install(configuration.transactionClock)
    self.configuration = configuration
    schemaSource = configuration.schemaSource
    provideSchemaFacts()
    // Disable memory-mapped I/O, which some builds of SQLite enable by default. A disk error would raise a signal, and
    // a stray memory write would damage the file (hazard D9).
    try execute(sql: "PRAGMA mmap_size = 0")
    try addStandardFunctions()
    try load(configuration.extensions)
    if !configuration.readonly {
      try use(configuration.durability, usesWriteAheadLog: false)
      try moduleState(Checkpointer.self).begin(on: self, at: location, configuration.environment.vfs)
    }
    compilation.hasSetSynchronous = false
    for preparation in configuration.preparations { try preparation(self) }
    precondition(
      configuration.allowsUnsafeTransactions || !isInsideTransaction,
      "A transaction has been left opened at the end of Configuration.prepareDatabase: commit it or roll it back there")
    // Read the file header now, to reject a file that is not a database before the first query.
    try execute(sql: "SELECT * FROM sqlite_master LIMIT 1")
    if !configuration.readonly { try checkSynchronous(for: configuration.durability) }
    if configuration.isUntrusted { try checkFile() }
  }

  /// Throws an error if the file is damaged.
  private func checkFile() throws {
    try execute(sql: "PRAGMA cell_size_check = ON")
    let report = try String.fetchAll(self, sql: "PRAGMA quick_check(1)")
    guard report == ["ok"] else {
      throw DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: report.first ?? "the database file is damaged")
    }
  }
}

extension DatabaseSettings {
  fileprivate init(_ configuration: Configuration, label: String) {
    self.init(label: label)
    publicStatementArguments = configuration.publicStatementArguments
    isReadonly = configuration.readonly
    isUntrusted = configuration.isUntrusted
    isDecodingStrict = configuration.strictDecoding
    checksRows = configuration.strictDecoding || configuration.invalidTextPolicy == .refuse
    allowsAttachedFiles = configuration.allowsAttachedFiles
    accessTimeLimit = configuration.accessTimeLimit
    clock = configuration.environment.clock
    wallClock = configuration.environment.wallClock
    if configuration.observesSuspensionNotifications, !configuration.readonly { suspension = Suspension() }
    maximumCachedStatementCount = configuration.maximumCachedStatementCount
    let queue =
      configuration.readonly ? configuration.targetQueue : configuration.writeTargetQueue ?? configuration.targetQueue
    targetQueue = queue.map { TargetQueue(label: label, target: $0) }
  }
}

extension ConnectionHandle {
  fileprivate func harden(_ configuration: Configuration) throws {
    try set(.foreignKeys, configuration.foreignKeysEnabled)
    try set(.defensive, configuration.isDefensive)
    try set(.doubleQuotedStringsInDML, configuration.acceptsDoubleQuotedStringLiterals)
    try set(.doubleQuotedStringsInDDL, configuration.acceptsDoubleQuotedStringLiterals)
    try set(.loadExtension, false)
    if configuration.isUntrusted {
      try set(.trustedSchema, false)
      try set(.triggers, false)
      try set(.views, false)
    }
    for (limit, value) in configuration.limits { self.limit(limit.category, CInt(clamping: value)) }
  }
}

extension Configuration.Limit {
  fileprivate var category: CInt {
    switch self {
    case .valueSize: SQLITE_LIMIT_LENGTH
    case .statementSize: SQLITE_LIMIT_SQL_LENGTH
    case .columnCount: SQLITE_LIMIT_COLUMN
    case .expressionDepth: SQLITE_LIMIT_EXPR_DEPTH
    case .compoundSelectCount: SQLITE_LIMIT_COMPOUND_SELECT
    case .instructionCount: SQLITE_LIMIT_VDBE_OP
    case .functionArgumentCount: SQLITE_LIMIT_FUNCTION_ARG
    case .attachedDatabaseCount: SQLITE_LIMIT_ATTACHED
    case .patternSize: SQLITE_LIMIT_LIKE_PATTERN_LENGTH
    case .parameterCount: SQLITE_LIMIT_VARIABLE_NUMBER
    case .triggerDepth: SQLITE_LIMIT_TRIGGER_DEPTH
    }
  }
}

/// Creates a file with the configured permissions.
///
/// Closing any descriptor of a file releases all POSIX locks of the process on it (hazard F2). This is safe here only:
/// the file does not exist yet, so no connection in this process can hold locks on it.
private enum FileCreation {
  static func create(atPath path: String, permissions: mode_t) throws {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, permissions)
    if descriptor >= 0 {
      // The umask of the process may have removed permission bits.
      fchmod(descriptor, permissions)
      close(descriptor)
    } else if errno != EEXIST {
      throw DatabaseError(
        resultCode: .SQLITE_CANTOPEN,
        message: "unable to create database file: \(String(cString: strerror(errno)))")
    }
  }
}
