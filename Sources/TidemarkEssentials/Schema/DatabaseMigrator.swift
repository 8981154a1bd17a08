/// Brings a database to the schema that the program wants, one migration after the other.
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
/// The database keeps the identifiers of the migrations that were applied to it, in the table `grdb_migrations`: each
/// of them is applied once. Invariants:
///
/// 1. Migrations are applied in the order in which they were registered.
/// 2. A migration is one transaction: it is applied as a whole, and noted, or the database is as it was.
/// 3. Foreign keys are enforced afterwards if they were before, whatever happens.
/// 4. When a migration fails, those before it stay applied, and those after it are not run: it is the first one that is
///    not applied. A `DatabaseError` names it (`DatabaseError.migration`); errors of other types are thrown as they
///    are, and `Database.logError` is told the name.
public struct DatabaseMigrator: Sendable {
  /// When foreign keys are checked during a migration.
  public enum ForeignKeyChecks: Sendable {
    /// At its end, in the whole database: the migration may drop tables and make them anew. Foreign keys do nothing
    /// while it runs.
    case deferred

    /// While it runs, as anywhere else.
    case immediate
  }

  /// Whether the database is emptied, and all migrations are applied again, when the migrations that were applied are
  /// not those that are registered any more. Default: false.
  ///
  /// It is meant for the time when the program is being written: **it destroys all data**.
  public var eraseDatabaseOnSchemaChange = false

  private(set) var registered: [Migration] = []
  private var runsDeferredChecks = true

  /// A migrator without migrations.
  public init() {}

  // MARK: Registering

  /// Returns a migrator that does not check foreign keys at the end of the migrations that are registered from now on.
  ///
  /// ```swift
  /// migrator = migrator.disablingDeferredForeignKeyChecks()
  /// migrator.registerMigration("rebuildPlayers") { db in … }
  /// ```
  ///
  /// Migrations that were registered before keep their checks. A check reads all tables, which may take long. Check
  /// once at the end instead, with `Database.checkForeignKeys()`, or register migrations whose checks are immediate.
  ///
  /// - Returns: A migrator with the same migrations.
  public func disablingDeferredForeignKeyChecks() -> DatabaseMigrator {
    var migrator = self
    migrator.runsDeferredChecks = false
    return migrator
  }

  /// Registers a migration.
  ///
  /// - parameter identifier: Its name. No other migration has it.
  /// - parameter foreignKeyChecks: When foreign keys are checked.
  /// - parameter migrate: Changes the database.
  public mutating func registerMigration(
    _ identifier: String, foreignKeyChecks: ForeignKeyChecks = .deferred,
    migrate: @escaping @Sendable (Database) throws -> Void
  ) {
    register(Migration(identifier: identifier, foreignKeyChecks: foreignKeyChecks) { db, _ in try migrate(db) })
  }

  /// Registers a migration that takes the place of others, which are not registered any more.
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
  /// - parameter identifier: Its name. It may be that of a merged migration's successor, never that of another one.
  /// - parameter mergedIdentifiers: The names of the migrations that it takes the place of.
  /// - parameter migrate: Changes the database. It is given the merged migrations that were applied.
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
      "already registered migration: \(String(reflecting: migration.identifier))")
    var migration = migration
    migration.runsDeferredChecks = runsDeferredChecks
    registered.append(migration)
  }

  // MARK: - Questions

  /// The identifiers of the migrations, in the order in which they were registered.
  public var migrations: [String] { registered.map(\.identifier) }

  /// The identifiers of the registered migrations that were applied, in order.
  public func appliedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return migrations.filter { applied.contains($0) }
  }

  /// The identifiers of all migrations that were applied, whether they are registered or not.
  public func appliedIdentifiers(_ db: Database) throws -> Set<String> {
    guard try db.tableExists(Migration.tableName, in: "main") else { return [] }
    return try String.fetchSet(db, sql: "SELECT identifier FROM \(Migration.tableName)")
  }

  /// The identifiers of the first migrations, up to the one before the first that was not applied.
  ///
  /// ```swift
  /// if try migrator.completedMigrations(db).contains("v2") { … }
  /// ```
  public func completedMigrations(_ db: Database) throws -> [String] {
    let applied = try appliedIdentifiers(db)
    return Array(migrations.prefix { applied.contains($0) })
  }

  /// Whether all registered migrations were applied.
  public func hasCompletedMigrations(_ db: Database) throws -> Bool {
    try completedMigrations(db).count == migrations.count
  }

  /// Whether a migration was applied that is not registered: most likely by a later version of the program.
  public func hasBeenSuperseded(_ db: Database) throws -> Bool {
    try !appliedIdentifiers(db).isSubset(of: knownIdentifiers)
  }

  /// The identifiers of the migrations, and of those that they merge.
  var knownIdentifiers: Set<String> {
    registered.reduce(into: []) { known, migration in
      known.formUnion(migration.mergedIdentifiers)
      known.insert(migration.identifier)
    }
  }

  // MARK: - Applying

  /// Applies the migrations that were not, up to one of them, or to the last.
  func apply(_ db: Database, upTo target: String?) throws {
    try db.execute(
      sql: "CREATE TABLE IF NOT EXISTS \(Migration.tableName) (identifier TEXT NOT NULL PRIMARY KEY)")
    let range = try migrations(db, upTo: target)
    let applied = try appliedIdentifiers(db)
    for migration in range {
      if !applied.contains(migration.identifier) {
        try migration.apply(db)
      } else if !applied.isDisjoint(with: migration.mergedIdentifiers) {
        // The merging migration was applied by a version of the program that did not know of all it merges.
        try migration.forgetMerged(db)
      }
    }
  }

  /// The migrations up to one of them, which is not behind what was applied.
  private func migrations(_ db: Database, upTo target: String?) throws -> ArraySlice<Migration> {
    let applied = try appliedIdentifiers(db)
    guard let target else { return registered[...] }
    guard let index = migrations.firstIndex(of: target) else {
      preconditionFailure("undefined migration: \(String(reflecting: target))")
    }
    precondition(
      !registered[(index + 1)...].contains { applied.contains($0.identifier) },
      "database is already migrated beyond migration \(String(reflecting: target))")
    return registered[...index]
  }
}
