public import CSQLite

/// The FTS5 module of full-text tables.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///   t.tokenizer = .porter(wrapping: .unicode61())
///   t.column("title")
///   t.column("body")
/// }
///
/// struct Document: TableRecord, FetchableRecord, Codable {
///   var title: String
///   var body: String
/// }
/// let pattern = FTS5Pattern(matchingAllPrefixesIn: "sqlite librar")
/// let documents = try Document.matching(pattern).order(Column.rank).fetchAll(db)
/// ```
///
/// Where libsqlite3 was built without FTS5, creating a table fails with `no such module: fts5`.
public struct FTS5: VirtualTableModule {
  /// How the `unicode61` tokenizer compares letters with diacritics.
  public enum Diacritics: Sendable {
    /// Letters with and without a diacritic are different: `café` does not match `cafe`.
    case keep

    /// Diacritics are ignored, except on some letters with several of them: the default of SQLite.
    case removeLegacy

    /// All diacritics are ignored.
    case remove
  }

  /// How the `trigram` tokenizer compares characters.
  public enum TrigramTokenizerMatching: Sendable {
    /// Case is ignored: `CAFÉ` matches `café`. The default of SQLite.
    case caseInsensitive

    /// Case and diacritics are ignored: `CAFE` matches `café`.
    ///
    /// SQLite 3.45 or later is required. Older libraries throw `error in tokenizer constructor` when the table is
    /// created.
    case caseInsensitiveRemovingDiacritics

    /// All characters are different: `CAFÉ` does not match `café`.
    case caseSensitive
  }

  /// Creates the module.
  public init() {}

  /// `fts5`.
  public var moduleName: String { "fts5" }

  /// Returns an empty definition.
  ///
  /// - Parameter configuration: The options of the table.
  public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS5TableDefinition {
    FTS5TableDefinition(configuration: configuration)
  }

  /// Returns the columns and the options of a table, as SQL.
  ///
  /// - Parameter definition: The definition of the table.
  /// - Parameter db: A database connection.
  /// - Returns: The arguments of the module.
  /// - Throws: A ``DatabaseError`` if the content table does not exist, or has no row IDs.
  /// - Precondition: The table has at least one column.
  public func moduleArguments(for definition: FTS5TableDefinition, in db: Database) throws -> [String] {
    precondition(!definition.columns.isEmpty, "FTS5 virtual table requires at least one column.")
    func literal(_ text: String) throws -> String { try db.text(of: text.databaseValue) }
    var arguments = definition.columns.map { $0.name.moduleArgument + ($0.isIndexed ? "" : " UNINDEXED") }
    if let tokenizer = definition.tokenizer {
      let words = try tokenizer.components.map(literal)
      arguments.append("tokenize=\(try literal(words.joined(separator: " ")))")
    }
    switch definition.contentMode {
    case .raw(let table, let rowID):
      if let table { arguments.append("content=\(try literal(table))") }
      if let rowID { arguments.append("content_rowid=\(try literal(rowID))") }
    case .synchronized(let table):
      arguments.append("content=\(try literal(table))")
      let rowID = try db.contentRowID(of: table, isFTS4: false)
      if rowID.isNamed { arguments.append("content_rowid=\(try literal(rowID.column))") }
    }
    if let prefixes = definition.prefixes, !prefixes.isEmpty {
      arguments.append("prefix='\(prefixes.sorted().map(String.init).joined(separator: " "))'")
    }
    if let columnSize = definition.columnSize { arguments.append("columnSize=\(columnSize)") }
    if let detail = definition.detail { arguments.append("detail=\(detail.isBareWord ? detail : try literal(detail))") }
    return arguments
  }

  /// Creates the triggers of a synchronized table, and fills its index.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter tableName: The name of the created table.
  /// - Parameter definition: The definition of the table.
  /// - Throws: A ``DatabaseError`` if the content table lacks a column.
  public func database(_ db: Database, didCreate tableName: String, using definition: FTS5TableDefinition) throws {
    guard case .synchronized(let contentTable) = definition.contentMode else { return }
    let columns = definition.columns.map(\.name)
    for sql in try FullTextTriggers(
      table: tableName, contentTable: contentTable, columns: columns,
      isTolerant: definition.configuration.options.contains(.ifNotExists)
    ).fts5(rowID: db.contentRowID(of: contentTable, isFTS4: false)) { try db.execute(sql: sql) }
    try db.rebuildFullTextTable(tableName)
  }

  /// Returns the C interface of FTS5 in a connection.
  ///
  /// It is valid as long as the connection is open. Tokenizers in Swift do not need it: see ``FTS5CustomTokenizer``.
  ///
  /// - Parameter db: A database connection.
  /// - Returns: The interface.
  /// - Precondition: libsqlite3 was built with FTS5.
  public static func api(_ db: Database) -> UnsafePointer<fts5_api> {
    do {
      return try UnsafePointer(db.fts5API())
    } catch {
      fatalError("FTS5 is not available: \(error)")
    }
  }
}

/// The interface of FTS5 in a connection, which is the same as long as the connection is open.
private final class FTS5ConnectionState: DatabaseModuleState {
  var api: UnsafeMutablePointer<fts5_api>?
}

extension Database {
  /// Returns the interface of FTS5.
  ///
  /// - Throws: An error if the connection is closed, or if libsqlite3 was built without FTS5.
  func fts5API() throws -> UnsafeMutablePointer<fts5_api> {
    preconditionAccess()
    let handle = try openHandle()
    let state: FTS5ConnectionState = moduleState()
    if let api = state.api { return api }
    guard let api = try untraced({ try handle.fts5API() }) else {
      throw DatabaseError(message: "FTS5 is not available: libsqlite3 was built without it")
    }
    state.api = api
    return api
  }
}
