/// The FTS3 module of full-text tables.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS3()) { t in
///   t.tokenizer = .porter
///   t.column("content")
/// }
/// ```
///
/// Prefer ``FTS5``, which ranks its results, and supports tokenizers in Swift, or ``FTS4``.
public struct FTS3: VirtualTableModule {
  /// How the `unicode61` tokenizer compares letters with diacritics.
  public enum Diacritics: Sendable {
    /// Letters with and without a diacritic are different: `café` does not match `cafe`.
    case keep

    /// Diacritics are ignored, except on some letters with several of them: the default of SQLite.
    case removeLegacy

    /// All diacritics are ignored.
    case remove
  }

  /// Creates the module.
  public init() {}

  /// `fts3`.
  public var moduleName: String { "fts3" }

  /// Returns an empty definition.
  ///
  /// - Parameter configuration: The options of the table.
  public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS3TableDefinition {
    FTS3TableDefinition()
  }

  /// Returns the columns and the options of a table, as SQL.
  ///
  /// - Parameter definition: The definition of the table.
  /// - Parameter db: A database connection.
  /// - Returns: The arguments of the module.
  public func moduleArguments(for definition: FTS3TableDefinition, in db: Database) -> [String] {
    definition.columns.map(\.moduleArgument) + (definition.tokenizer.map { ["tokenize=\($0.sql)"] } ?? [])
  }

  /// Does nothing: FTS3 tables store their own content.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter tableName: The name of the created table.
  /// - Parameter definition: The definition of the table.
  public func database(_ db: Database, didCreate tableName: String, using definition: FTS3TableDefinition) {}

  /// Returns the tokens of a text, as FTS3 and FTS4 tables index them.
  ///
  /// ```swift
  /// try FTS3.tokenize("Running dogs", withTokenizer: .porter)    // ["run", "dog"]
  /// ```
  ///
  /// - Parameter string: A text.
  /// - Parameter tokenizer: The tokenizer.
  /// - Returns: The tokens, in order.
  /// - Throws: A ``DatabaseError`` if libsqlite3 was built without FTS3.
  public static func tokenize(
    _ string: String, withTokenizer tokenizer: FTS3TokenizerDescriptor = .simple
  ) throws -> [String] {
    try DatabaseQueue().inDatabase { db in
      let arguments = tokenizer.components.map(\.moduleArgument).joined(separator: ", ")
      try db.execute(sql: "CREATE VIRTUAL TABLE tokens USING fts3tokenize(\(arguments))")
      return try String.fetchAll(
        db, sql: "SELECT token FROM tokens WHERE input = ? ORDER BY position", arguments: [string])
    }
  }
}

/// The definition of an FTS3 table.
///
/// You receive one in the closure of `create(virtualTable:options:using:_:)`. See ``FTS3``.
public final class FTS3TableDefinition {
  /// The tokenizer of the table; nil for SQLite's default, `simple`.
  public var tokenizer: FTS3TokenizerDescriptor?

  fileprivate(set) var columns: [String] = []

  init() {}

  /// Adds a column.
  ///
  /// ```swift
  /// try db.create(virtualTable: "document", using: FTS3()) { t in
  ///   t.column("content")
  /// }
  /// ```
  ///
  /// - Parameter name: The name of the column.
  public func column(_ name: String) { columns.append(name) }
}

@available(*, unavailable)
extension FTS3TableDefinition: Sendable {}
