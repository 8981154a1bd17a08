import Tidemark

/// The version that a program gives to its schema.
public typealias UserVersion = Int32

extension Connection {
  /// The version that the program gives to its schema: 0 at first. C: `PRAGMA user_version`.
  ///
  /// It is nil when the database cannot be read. Setting it to nil does nothing.
  public var userVersion: UserVersion? {
    get { integer("PRAGMA user_version").flatMap { UserVersion(exactly: $0) } }
    set { if let newValue { setPragma("PRAGMA user_version = \(newValue)") } }
  }

  /// The version of SQLite.
  public var sqliteVersion: SQLiteVersion {
    let number = Int(Database.sqliteLibVersionNumber)
    return SQLiteVersion(major: number / 1_000_000, minor: number / 1000 % 1000, point: number % 1000)
  }

  /// Whether foreign keys must be kept. False when nothing is said.
  ///
  /// It cannot be changed inside a transaction.
  public var foreignKeys: Bool {
    get { integer("PRAGMA foreign_keys") == 1 }
    set { setPragma("PRAGMA foreign_keys = \(newValue ? 1 : 0)") }
  }

  /// Whether foreign keys may be broken until the current transaction ends.
  public var deferForeignKeys: Bool {
    get { integer("PRAGMA defer_foreign_keys") == 1 }
    set { setPragma("PRAGMA defer_foreign_keys = \(newValue ? 1 : 0)") }
  }

  // A property cannot throw: the error goes where those go that nobody can be told.
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

  /// Rebuilds the file, without unused pages. C: `VACUUM`.
  ///
  /// - returns: The statement that was run.
  /// - throws: A `Result` when a transaction is open, or when the file cannot be written.
  @discardableResult
  public func vacuum() throws -> Statement { try run("VACUUM") }

  /// What is wrong with the file, or with a table; empty when nothing is.
  public func integrityCheck(table: String? = nil) throws -> [String] {
    try rows("PRAGMA integrity_check", table).compactMap { $0[0] as? String }.filter { $0 != "ok" }
  }

  /// The rows, of all tables or of one, whose foreign keys find no row.
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

  /// Adds a database to the connection: `ATTACH DATABASE 'file:external.sqlite?mode=ro' AS 'external'`.
  ///
  /// Its tables are those of that database: `Table("table", database: "external")`.
  public func attach(_ location: Location, as schemaName: String) throws {
    try run("ATTACH DATABASE ? AS ?", location.description, schemaName)
  }

  /// Takes a database off the connection: `DETACH DATABASE 'external'`.
  public func detach(_ schemaName: String) throws {
    try run("DETACH DATABASE ?", schemaName)
  }
}

/// A version of SQLite.
public struct SQLiteVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
  /// The 3 of 3.40.1.
  public let major: Int

  /// The 40 of 3.40.1.
  public let minor: Int

  /// The 1 of 3.40.1.
  public var point: Int = 0

  /// A version.
  public init(major: Int, minor: Int, point: Int = 0) {
    self.major = major
    self.minor = minor
    self.point = point
  }

  /// `SQLite version 3.40.1`
  public var description: String { "SQLite version \(major).\(minor).\(point)" }

  /// Whether a version came before another one.
  public static func < (lhs: SQLiteVersion, rhs: SQLiteVersion) -> Bool {
    (lhs.major, lhs.minor, lhs.point) < (rhs.major, rhs.minor, rhs.point)
  }
}

/// A row whose foreign key finds no row.
public struct ForeignKeyError: CustomStringConvertible, Hashable, Sendable {
  /// The table of the row.
  public let from: String

  /// The id of the row; 0 in a table without row ids.
  public let rowId: Int64

  /// The table where no row was found.
  public let to: String

  /// A row of a table, whose foreign key finds no row in another one.
  public init(from: String, rowId: Int64, to: String) {
    self.from = from
    self.rowId = rowId
    self.to = to
  }

  /// `from [rowId] => to`
  public var description: String { "\(from) [\(rowId)] => \(to)" }
}
