import Tidemark

/// The version number that a program assigns to its schema.
public typealias UserVersion = Int32

extension Connection {
  /// The version number that the program assigns to its schema; 0 by default. C: `PRAGMA user_version`.
  ///
  /// It is nil if the database cannot be read. Setting it to nil has no effect.
  public var userVersion: UserVersion? {
    get { integer("PRAGMA user_version").flatMap { UserVersion(exactly: $0) } }
    set { if let newValue { setPragma("PRAGMA user_version = \(newValue)") } }
  }

  /// The version of SQLite.
  public var sqliteVersion: SQLiteVersion {
    let number = Int(Database.sqliteLibVersionNumber)
    return SQLiteVersion(major: number / 1_000_000, minor: number / 1000 % 1000, point: number % 1000)
  }

  /// Whether foreign key constraints are enforced. Default: false. C: `PRAGMA foreign_keys`.
  ///
  /// It cannot be changed inside a transaction.
  public var foreignKeys: Bool {
    get { integer("PRAGMA foreign_keys") == 1 }
    set { setPragma("PRAGMA foreign_keys = \(newValue ? 1 : 0)") }
  }

  /// Whether foreign key constraints are checked only at the end of the current transaction. C: `PRAGMA
  /// defer_foreign_keys`.
  public var deferForeignKeys: Bool {
    get { integer("PRAGMA defer_foreign_keys") == 1 }
    set { setPragma("PRAGMA defer_foreign_keys = \(newValue ? 1 : 0)") }
  }

  // A property cannot throw: its errors go to the error log.
  private func integer(_ pragma: String) -> Int64? { value(pragma) as? Int64 }

  func value(_ pragma: String) -> (any Binding)? {
    do {
      return try scalar(pragma)
    } catch {
      Database.report(error, pragma)
      return nil
    }
  }

  func setPragma(_ pragma: String) {
    do {
      try run(pragma)
    } catch {
      Database.report(error, pragma)
    }
  }

  // MARK: Maintenance

  /// Rebuilds the database file without unused pages. C: `VACUUM`.
  ///
  /// ```swift
  /// try db.vacuum()
  /// ```
  ///
  /// - Returns: The statement that ran.
  /// - Throws: A ``Result`` if a transaction is open, or if the file cannot be written.
  @discardableResult
  public func vacuum() throws -> Statement { try run("VACUUM") }

  /// Returns the defects of the database or of a table; an empty array if there are none. C: `PRAGMA integrity_check`.
  ///
  /// ```swift
  /// let problems = try db.integrityCheck()
  /// ```
  ///
  /// - Parameter table: The name of a table; nil for the whole database.
  /// - Returns: A description of each defect.
  /// - Throws: A ``Result`` if the database cannot be read.
  public func integrityCheck(table: String? = nil) throws -> [String] {
    try rows("PRAGMA integrity_check", table).compactMap { $0[0] as? String }.filter { $0 != "ok" }
  }

  /// Returns the rows that violate a foreign key constraint. C: `PRAGMA foreign_key_check`.
  ///
  /// ```swift
  /// let orphans = try db.foreignKeyCheck(table: "posts")
  /// ```
  ///
  /// - Parameter table: The name of a table; nil for all tables.
  /// - Returns: The rows whose foreign key references a missing row.
  /// - Throws: A ``Result`` if the database cannot be read.
  public func foreignKeyCheck(table: String? = nil) throws -> [ForeignKeyError] {
    try rows("PRAGMA foreign_key_check", table).compactMap { row in
      guard let from = row[0] as? String, let to = row[2] as? String else { return nil }
      return ForeignKeyError(from: from, rowId: row[1] as? Int64 ?? 0, to: to)
    }
  }

  private func rows(_ pragma: String, _ table: String?) throws -> [[(any Binding)?]] {
    let statement = try prepare(pragma + (table.map { "(\($0.quote()))" } ?? ""))
    return try Array(statement)
  }

  // MARK: Attached databases

  /// Attaches a database: `ATTACH DATABASE 'external.sqlite' AS 'external'`.
  ///
  /// ```swift
  /// try db.attach(.uri("external.sqlite"), as: "external")
  /// let external = Table("users", database: "external")
  /// ```
  ///
  /// - Parameters:
  ///   - location: The location of the database.
  ///   - schemaName: The name of the database in SQL.
  /// - Throws: A ``Result`` if the database cannot be attached.
  public func attach(_ location: Location, as schemaName: String) throws {
    try run("ATTACH DATABASE ? AS ?", location.description, schemaName)
  }

  /// Detaches a database: `DETACH DATABASE 'external'`.
  ///
  /// ```swift
  /// try db.detach("external")
  /// ```
  ///
  /// - Parameter schemaName: The name under which the database was attached.
  /// - Throws: A ``Result`` if the database is not attached, or if it is in use.
  public func detach(_ schemaName: String) throws {
    try run("DETACH DATABASE ?", schemaName)
  }
}

/// A version of SQLite.
public struct SQLiteVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
  /// The major version: 3 in 3.40.1.
  public let major: Int

  /// The minor version: 40 in 3.40.1.
  public let minor: Int

  /// The patch version: 1 in 3.40.1.
  public var point: Int = 0

  /// Creates a version.
  ///
  /// ```swift
  /// let hasReturning = db.sqliteVersion >= SQLiteVersion(major: 3, minor: 35)
  /// ```
  ///
  /// - Parameters:
  ///   - major: The major version.
  ///   - minor: The minor version.
  ///   - point: The patch version.
  public init(major: Int, minor: Int, point: Int = 0) {
    self.major = major
    self.minor = minor
    self.point = point
  }

  /// A description: `SQLite version 3.40.1`.
  public var description: String { "SQLite version \(major).\(minor).\(point)" }

  /// Returns whether a version is older than another one.
  public static func < (lhs: SQLiteVersion, rhs: SQLiteVersion) -> Bool {
    (lhs.major, lhs.minor, lhs.point) < (rhs.major, rhs.minor, rhs.point)
  }
}

/// A row that violates a foreign key constraint.
public struct ForeignKeyError: CustomStringConvertible, Hashable, Sendable {
  /// The table that contains the row.
  public let from: String

  /// The row ID; 0 in a table without row IDs.
  public let rowId: Int64

  /// The table that the foreign key references.
  public let to: String

  /// Creates a description of a row that violates a foreign key constraint.
  ///
  /// - Parameters:
  ///   - from: The table that contains the row.
  ///   - rowId: The row ID; 0 in a table without row IDs.
  ///   - to: The table that the foreign key references.
  public init(from: String, rowId: Int64, to: String) {
    self.from = from
    self.rowId = rowId
    self.to = to
  }

  /// A description: `from [rowId] => to`.
  public var description: String { "\(from) [\(rowId)] => \(to)" }
}
