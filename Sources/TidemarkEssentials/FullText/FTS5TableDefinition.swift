/// The definition of an FTS5 table.
///
/// You receive one in the closure of `create(virtualTable:options:using:_:)`:
///
/// ```swift
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///   t.column("title")
///   t.column("url").notIndexed()
///   t.prefixes = [2, 4]
/// }
/// ```
public final class FTS5TableDefinition {
  let configuration: VirtualTableConfiguration
  private(set) var columns: [FTS5ColumnDefinition] = []
  private(set) var contentMode = FullTextContent()

  /// The tokenizer of the table; nil for SQLite's default, `unicode61`.
  public var tokenizer: FTS5TokenizerDescriptor?

  /// The table that has the content of the index; an empty text for a table without content; nil if the table stores
  /// its content.
  ///
  /// Prefer ``synchronize(withTable:)``, which keeps the index up to date. Setting this property ends a
  /// synchronization.
  public var content: String? {
    get { contentMode.table }
    set { contentMode = .raw(table: newValue, rowID: contentRowID) }
  }

  /// The column of the ``content`` table that identifies its rows; nil for `rowid`, and in a synchronized table.
  ///
  /// Setting this property ends a synchronization, and removes its content table.
  public var contentRowID: String? {
    get {
      switch contentMode {
      case .raw(_, let rowID): rowID
      case .synchronized: nil
      }
    }
    set {
      switch contentMode {
      case .raw(let table, _): contentMode = .raw(table: table, rowID: newValue)
      case .synchronized: contentMode = .raw(table: nil, rowID: newValue)
      }
    }
  }

  /// The lengths of the prefixes that are indexed, to make searches of prefixes fast.
  public var prefixes: Set<Int>?

  /// 0 if the table does not store the sizes of texts, which ranking needs.
  public var columnSize: Int?

  /// The precision of the positions of tokens in the index: `full`, `column` or `none`.
  public var detail: String?

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
  public func column(_ name: String) -> FTS5ColumnDefinition {
    let column = FTS5ColumnDefinition(name: name)
    columns.append(column)
    return column
  }

  /// Makes the table index the content of another table, and keeps the index up to date with triggers.
  ///
  /// ```swift
  /// try db.create(virtualTable: "bookSearch", using: FTS5()) { t in
  ///   t.synchronize(withTable: "book")
  ///   t.column("title")
  ///   t.column("summary")
  /// }
  /// ```
  ///
  /// The columns are columns of the content table. When you drop the full-text table, call
  /// ``Database/dropFTS5SynchronizationTriggers(forTable:)``, too.
  ///
  /// `INSERT OR REPLACE` into the content table does not call its delete triggers, unless `PRAGMA recursive_triggers`
  /// is on: the index then keeps the tokens of the replaced row.
  ///
  /// - Parameter tableName: The name of the content table. It must have row IDs or an integer primary key, and must not
  ///   be temporary.
  /// - Precondition: The full-text table is not temporary.
  public func synchronize(withTable tableName: String) {
    contentMode = .synchronized(table: tableName)
    precondition(
      !configuration.options.contains(.temporary), "Temporary external content FTS5 tables are not supported.")
  }
}

/// A column of an FTS5 table.
///
/// ```swift
/// t.column("url").notIndexed()
/// ```
public final class FTS5ColumnDefinition {
  let name: String
  private(set) var isIndexed = true

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
}

@available(*, unavailable)
extension FTS5TableDefinition: Sendable {}

@available(*, unavailable)
extension FTS5ColumnDefinition: Sendable {}
