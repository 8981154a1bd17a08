/// The FTS4 module of full-text tables.
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///   t.tokenizer = .unicode61()
///   t.column("title")
///   t.column("body")
/// }
/// let documents = try Row.fetchAll(
///   db, sql: "SELECT * FROM document WHERE document MATCH ?", arguments: [FTS3Pattern(matchingAllTokensIn: "sqlite")])
/// ```
///
/// Patterns and tokenizers are those of ``FTS3``: ``FTS3Pattern`` and ``FTS3TokenizerDescriptor``. Prefer ``FTS5``,
/// which ranks its results, and supports tokenizers in Swift.
public struct FTS4: VirtualTableModule {
  /// Creates the module.
  public init() {}

  /// `fts4`.
  public var moduleName: String { "fts4" }

  /// Returns an empty definition.
  ///
  /// - Parameter configuration: The options of the table.
  public func makeTableDefinition(configuration: VirtualTableConfiguration) -> FTS4TableDefinition {
    FTS4TableDefinition(configuration: configuration)
  }

  /// Returns the columns and the options of a table, as SQL.
  ///
  /// - Parameter definition: The definition of the table.
  /// - Parameter db: A database connection.
  /// - Returns: The arguments of the module.
  public func moduleArguments(for definition: FTS4TableDefinition, in db: Database) -> [String] {
    var arguments: [String] = []
    for column in definition.columns {
      if column.isLanguageID {
        arguments.append("languageid=\(column.name.quotedDatabaseIdentifier)")
      } else {
        arguments.append(column.name.moduleArgument)
        if !column.isIndexed { arguments.append("notindexed=\(column.name.moduleArgument)") }
      }
    }
    if let tokenizer = definition.tokenizer { arguments.append("tokenize=\(tokenizer.sql)") }
    func add(_ option: String, _ value: String?) {
      if let value { arguments.append("\(option)=\(value.quotedDatabaseIdentifier)") }
    }
    add("content", definition.content)
    add("compress", definition.compress)
    add("uncompress", definition.uncompress)
    add("matchinfo", definition.matchinfo)
    if let prefixes = definition.prefixes, !prefixes.isEmpty {
      add("prefix", prefixes.sorted().map(String.init).joined(separator: ","))
    }
    return arguments
  }

  /// Creates the triggers of a synchronized table, and fills its index.
  ///
  /// - Parameter db: A database connection.
  /// - Parameter tableName: The name of the created table.
  /// - Parameter definition: The definition of the table.
  /// - Throws: A ``DatabaseError`` if the content table does not exist, has no row IDs, or lacks a column.
  public func database(_ db: Database, didCreate tableName: String, using definition: FTS4TableDefinition) throws {
    guard case .synchronized(let contentTable) = definition.contentMode else { return }
    let columns = definition.columns.map(\.name)
    for sql in try FullTextTriggers(
      table: tableName, contentTable: contentTable, columns: columns,
      isTolerant: definition.configuration.options.contains(.ifNotExists)
    ).fts4(rowID: db.contentRowID(of: contentTable, isFTS4: true)) { try db.execute(sql: sql) }
    try db.rebuildFullTextTable(tableName)
  }
}

/// The definition of an FTS4 table.
///
/// You receive one in the closure of `create(virtualTable:options:using:_:)`:
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS4()) { t in
///   t.column("title")
///   t.column("url").notIndexed()
///   t.prefixes = [2, 4]
/// }
/// ```
public final class FTS4TableDefinition {
  let configuration: VirtualTableConfiguration
  fileprivate(set) var columns: [FTS4ColumnDefinition] = []
  fileprivate(set) var contentMode = FullTextContent()

  /// The tokenizer of the table; nil for SQLite's default, `simple`.
  public var tokenizer: FTS3TokenizerDescriptor?

  /// The table that has the content of the index; an empty text for a table without content; nil if the table stores
  /// its content.
  ///
  /// Prefer ``synchronize(withTable:)``, which keeps the index up to date. Setting this property ends a
  /// synchronization.
  public var content: String? {
    get { contentMode.table }
    set { contentMode = .raw(table: newValue, rowID: nil) }
  }

  /// The name of the SQL function that compresses the stored texts.
  public var compress: String?

  /// The name of the SQL function that undoes ``compress``.
  public var uncompress: String?

  /// `fts3` for a table without the information that some functions of `matchinfo` need.
  public var matchinfo: String?

  /// The lengths of the prefixes that are indexed, to make searches of prefixes fast.
  public var prefixes: Set<Int>?

  init(configuration: VirtualTableConfiguration) {
    self.configuration = configuration
  }

  /// Adds a column.
  ///
  /// ```swift
  /// t.column("title")
  /// t.column("url").notIndexed()
  /// ```
  ///
  /// - Parameter name: The name of the column.
  /// - Returns: The column.
  @discardableResult
  public func column(_ name: String) -> FTS4ColumnDefinition {
    let column = FTS4ColumnDefinition(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table index the content of another table, and keeps the index up to date with triggers.
  ///
  /// ```swift
  /// try db.create(virtualTable: "bookSearch", using: FTS4()) { t in
  ///   t.synchronize(withTable: "book")
  ///   t.column("title")
  ///   t.column("summary")
  /// }
  /// ```
  ///
  /// The columns are columns of the content table. Before you drop the full-text table, or afterwards, call
  /// ``Database/dropFTS4SynchronizationTriggers(forTable:)``.
  ///
  /// - Parameter tableName: The name of the content table. It must have row IDs, and must not be temporary.
  /// - Precondition: The full-text table is not temporary.
  public func synchronize(withTable tableName: String) {
    contentMode = .synchronized(table: tableName)
    precondition(
      !configuration.options.contains(.temporary), "Temporary external content FTS4 tables are not supported.")
  }
}

/// A column of an FTS4 table.
///
/// ```swift
/// t.column("url").notIndexed()
/// ```
public final class FTS4ColumnDefinition {
  let name: String
  private(set) var isIndexed = true
  private(set) var isLanguageID = false

  init(name: String) {
    self.name = name
  }

  /// Stores the column, but does not index it.
  ///
  /// - Returns: The column.
  @discardableResult
  public func notIndexed() -> Self {
    isIndexed = false
    return self
  }

  /// Makes the column the language of the row: a hidden integer column that selects the index of the row.
  ///
  /// - Returns: The column.
  @discardableResult
  public func asLanguageId() -> Self {
    isLanguageID = true
    return self
  }
}

@available(*, unavailable)
extension FTS4TableDefinition: Sendable {}

@available(*, unavailable)
extension FTS4ColumnDefinition: Sendable {}
