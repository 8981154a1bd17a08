/// Applies migrations, which evolve the schema of a database.
///
/// ```swift
/// var migrator = DatabaseMigrator()
///
/// migrator.registerMigration("createPlayer") { db in
///   try db.create(table: "player") { t in
///     t.autoIncrementedPrimaryKey("id")
///     t.column("name", .text).notNull()
///   }
/// }
///
/// migrator.registerMigration("addScore") { db in
///   try db.alter(table: "player") { t in
///     t.add(column: "score", .integer).notNull().defaults(to: 0)
///   }
/// }
///
/// try migrator.migrate(dbQueue)
/// ```
///
/// The database stores the identifiers of applied migrations in the table `grdb_migrations`, so that each migration is
/// applied once. Invariants:
///
/// 1. Migrations are applied in the order of their registration.
/// 2. A migration is a transaction, which includes its identifier: it is either applied completely or rolled back.
/// 3. If foreign keys are enforced before the migrations, they are enforced afterwards, even if a migration fails.
/// 4. If a migration fails, earlier migrations stay applied, and later migrations are not run. A `DatabaseError` has
/// the identifier of the failed migration (`DatabaseError.migration`). Errors of other types are rethrown, and the
/// identifier is passed to `Database.logError`.
public struct DatabaseMigrator: Sendable {
  /// The time when foreign keys are checked in a migration.
  public enum ForeignKeyChecks: Sendable {
    /// Foreign keys are checked in the whole database at the end of the migration, and are not enforced while it runs.
    /// The migration may drop and recreate tables.
    case deferred

    /// Foreign keys are enforced while the migration runs.
    case immediate
  }

  /// Whether the database is erased, and all migrations are applied again, if the applied migrations differ from the
  /// registered ones. The default is false.
  ///
  /// Use it only during development: **it destroys all data**.
  public var eraseDatabaseOnSchemaChange = false

  private(set) var registered: [Migration] = []
  private var runsDeferredChecks = true

  /// Creates a migrator without migrations.
  public init() {}

  // MARK: Registering

  /// Returns a migrator that does not check foreign keys at the end of migrations registered later.
  ///
  /// ```swift
  /// migrator = migrator.disablingDeferredForeignKeyChecks()
  /// migrator.registerMigration("rebuildPlayers") { db in … }
  /// ```
  ///
  /// Migrations that are already registered keep their checks. A check reads all tables, which may take long. Instead,
  /// call `Database.checkForeignKeys()` once at the end, or register migrations with immediate checks.
  ///
  /// - Returns: A migrator with the same migrations.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.runsDeferredChecks = false
    return migrator
  }

  /// Registers a migration.
  ///
  /// ```swift
  /// migrator.registerMigration("addScore") { db in
  ///   try db.alter(table: "player") { t in
  ///     t.add(column: "score", .integer).notNull().defaults(to: 0)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter identifier: The unique identifier of the migration.
  /// - Parameter foreignKeyChecks: The time when foreign keys are checked.
  /// - Parameter migrate: A closure that changes the database.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(Migration(identifier: identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in try migrate(db) })
  }

  /// Registers a migration that replaces other migrations, which are no longer registered.
  ///
  /// ```swift
  /// migrator.registerMigration("v3", merging: ["v1", "v2", "v3-beta"]) { db, appliedIdentifiers in
  ///   if !appliedIdentifiers.contains("v1") {
  ///     try db.create(table: "player") { t in … }
  ///   }
  ///   …
  /// }
  /// ```
  ///
  /// - Parameter identifier: The unique identifier of the migration.
  /// - Parameter foreignKeyChecks: The time when foreign keys are checked.
  /// - Parameter mergedIdentifiers: The identifiers of the replaced migrations.
  /// - Parameter migrate: A closure that changes the database. Its second argument contains the identifiers of the
  ///   replaced migrations that are already applied.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred, merging mergedIdentifiers: Set<String>,
    migrate: @escaping @Sendable (_ db: Database, _ appliedIdentifiers: Set<String>) throws -> Void
  ) {
    register(
      Migration(
        identifier: identifier, mergedIdentifiers: mergedIdentifiers.subtracting([identifier]),
        foreignKeyChecks: foreignKeyChecks, migrate: migrate))
  }

  private mutating func register(_ migration: Migration) {
    precondition(
      !migrations.contains(migration.identifier),
      """
      already registered migration: \(String(reflecting: migration.identifier)). Give each migration another identifier.
      """
    )
    var migration = migration
    migration.runsDeferredChecks = runsDeferredChecks
    registered.append(migration)
  }

  // MARK: - State of a database

  /// The identifiers of all registered migrations, in the order of their registration.
  public var migrations: [String] { registered.map(\.identifier) }

  /// Returns the identifiers of the registered migrations that are applied, in order.
  ///
  /// ```swift
  /// let applied = try dbQueue.read(migrator.appliedMigrations)
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The identifiers.
  /// - Throws: A `DatabaseError`.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return migrations.filter { applied.contains($0) }
  }

  /// Returns the identifiers of all applied migrations, including those that are not registered.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The identifiers.
  /// - Throws: A `DatabaseError`.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    guard try db.tableExists(Migration.tableName, in: "main") else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM \(Migration.tableName)")
  }

  /// Returns the identifiers of the registered migrations before the first one that is not applied.
  ///
  /// ```swift
  /// if try migrator.completedMigrations(db).contains("v2") { … }
  /// ```
  public func completedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return Array(migrations.prefix { applied.contains($0) })
  }

  /// Returns whether all registered migrations are applied.
  ///
  /// ```swift
  /// if try dbQueue.read(migrator.hasCompletedMigrations) == false {
  ///   throw StartError.databaseNeedsMigration
  /// }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: Whether the schema is up to date.
  /// - Throws: A `DatabaseError`.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    try completedMigrations(db).count == migrations.count
  }

  /// Returns whether a migration is applied that is not registered, usually by a later version of the program.
  ///
  /// ```swift
  /// if try dbQueue.read(migrator.hasBeenSuperseded) { throw StartError.databaseIsTooNew }
  /// ```
  ///
  /// - Parameter db: A database connection.
  /// - Returns: Whether the database has an unknown migration.
  /// - Throws: A `DatabaseError`.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try !appliedIdentifiers(db).isSubset(of: knownIdentifiers)
  }

  /// The identifiers of the registered migrations, and of the migrations that they replace.
  var knownIdentifiers: Set<String> {
    registered.reduce(into: []) { known, migration in
      known.formUnion(migration.mergedIdentifiers)
      known.insert(migration.identifier)
    }
  }

  // MARK: - Applying

  /// Applies the unapplied migrations up to a given one, or all of them.
  func apply(_ db: Database, upTo target: String?) throws {
    try createTable(db)
    let range = try migrations(db, upTo: target)
    let applied = try appliedIdentifiers(db)
    for migration in range {
      if !applied.contains(migration.identifier) {
        try migration.apply(db)
      } else if !applied.isDisjoint(with: migration.mergedIdentifiers) {
        // An earlier version of the program, which replaced fewer migrations, has applied this migration.
        try migration.forgetMerged(db)
      }
    }
  }

  /// Applies the first unapplied migration in the open transaction of a replicated write, and creates the table of
  /// identifiers if needed.
  ///
  /// - Parameter db: A database connection in a transaction.
  /// - Returns: The identifier of the migration; nil if all are applied.
  /// - Throws: The error of the migration. A `DatabaseError` includes its identifier. None of its changes stays then.
  package func applyNextMigration(_ db: Database) throws -> String? {
    guard db.isInsideTransaction else {
      throw DatabaseError(
        resultCode: .SQLITE_MISUSE, message: "applyNextMigration requires an open transaction: begin one before")
    }
    let applied = try appliedIdentifiers(db)
    for migration in registered {
      guard applied.contains(migration.identifier) else {
        try db.inSavepoint {
          try createTable(db)
          try migration.applyInOpenTransaction(db, applied: applied)
          return .commit
        }
        return migration.identifier
      }
      if !applied.isDisjoint(with: migration.mergedIdentifiers) { try migration.forgetMerged(db) }
    }
    return nil
  }

  private func createTable(_ db: Database) throws {
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS \(Migration.tableName) (identifier TEXT NOT NULL PRIMARY KEY)")
  }

  /// Returns the migrations up to a given one, which must not be earlier than an applied migration.
  private func migrations(_ db: Database, upTo target: String?) throws -> ArraySlice<Migration> {
    let applied = try appliedIdentifiers(db)
    guard let target else { return registered[...] }
    guard let index = migrations.firstIndex(of: target) else {
      preconditionFailure("undefined migration: \(String(reflecting: target)). Registered migrations: \(migrations)")
    }
    precondition(
      !registered[(index + 1)...].contains { applied.contains($0.identifier) },
      """
      database is already migrated beyond migration \(String(reflecting: target)), and migrations cannot be undone
      """)
    return registered[...index]
  }
}
