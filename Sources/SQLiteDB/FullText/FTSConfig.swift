/// The common options of FTS4 and FTS5 tables.
open class FTSConfig {
  /// An option of a column.
  public enum ColumnOption: Sendable {
    /// The column is stored, but not indexed.
    case unindexed
  }

  var columnDefinitions: [(column: SQLExpression<Void>, options: [ColumnOption])] = []
  var tokenizer: Tokenizer?
  private var prefixes: [Int] = []
  private var externalContentName: String?
  private var isContentless = false

  init() {}

  fileprivate func with(_ change: () -> Void) -> Self {
    change()
    return self
  }

  /// Adds a column.
  ///
  /// ```swift
  /// let config = FTS5Config().column(subject).column(body, [.unindexed])
  /// ```
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - options: The options of the column.
  /// - Returns: The configuration itself.
  @discardableResult
  open func column(_ column: any Expressible, _ options: [ColumnOption] = []) -> Self {
    with { columnDefinitions.append((column.expression, options)) }
  }

  /// Adds columns.
  ///
  /// ```swift
  /// let config = FTS4Config().columns([subject, body])
  /// ```
  ///
  /// - Parameter columns: The columns.
  /// - Returns: The configuration itself.
  @discardableResult
  open func columns(_ columns: [any Expressible]) -> Self { with { for column in columns { self.column(column) } } }

  /// Sets the tokenizer.
  ///
  /// ```swift
  /// let config = FTS5Config().column(subject).tokenizer(.Porter)
  /// ```
  ///
  /// - Parameter tokenizer: The tokenizer; nil for SQLite's default tokenizer.
  /// - Returns: The configuration itself.
  @discardableResult
  open func tokenizer(_ tokenizer: Tokenizer?) -> Self { with { self.tokenizer = tokenizer } }

  /// Adds a prefix index, which makes prefix searches faster.
  ///
  /// ```swift
  /// let config = FTS4Config().column(subject).prefix([2, 4])
  /// ```
  ///
  /// - Parameter prefix: The lengths of the indexed prefixes, in characters.
  /// - Returns: The configuration itself.
  @discardableResult
  open func prefix(_ prefix: [Int]) -> Self { with { prefixes += prefix } }

  /// Sets the table that stores the text (external content).
  ///
  /// ```swift
  /// let config = FTS4Config().column(title).externalContent(posts)
  /// ```
  ///
  /// - Parameter schema: The table or view.
  /// - Returns: The configuration itself.
  @discardableResult
  open func externalContent(_ schema: any SchemaType) -> Self {
    with { externalContentName = schema.unqualifiedName }
  }

  /// Makes the table contentless: text can be searched, but not read.
  ///
  /// ```swift
  /// let config = FTS4Config().columns([subject, body]).contentless()
  /// ```
  ///
  /// - Returns: The configuration itself.
  @discardableResult
  open func contentless() -> Self { with { isContentless = true } }

  // MARK: SQL

  func arguments() -> [SQLExpression<Void>] {
    var arguments = columnDefinitions.map { definition($0.column, $0.options) }
    if let tokenizer { arguments.append(.option("tokenize", tokenizerText(tokenizer))) }
    if !prefixes.isEmpty {
      arguments.append(.option("prefix", prefixes.sorted().map(String.init).joined(separator: ",").quote()))
    }
    if isContentless {
      arguments.append(.option("content", "".quote()))
    } else if let externalContentName {
      arguments.append(.option("content", externalContentName))
    }
    return arguments
  }

  func definition(_ column: SQLExpression<Void>, _ options: [ColumnOption]) -> SQLExpression<Void> { column }

  func tokenizerText(_ tokenizer: Tokenizer) -> String { tokenizer.description }
}

extension SQLExpression where Datatype == Void {
  static func option(_ name: String, _ value: String) -> SQLExpression { SQLExpression(literal: "\(name)=\(value)") }

  static func option(_ name: String, quoted value: String?) -> [SQLExpression] {
    value.map { [option(name, $0.quote())] } ?? []
  }
}

/// The options of an FTS4 table.
///
/// ```swift
/// let config = FTS4Config().column(subject).column(body, [.unindexed]).languageId("lid").order(.desc)
/// try db.run(emails.create(.FTS4(config)))
/// ```
open class FTS4Config: FTSConfig {
  /// The match information that the table stores.
  public enum MatchInfo: String, Sendable {
    /// The match information of FTS3, without the length of each text.
    case fts3
  }

  /// The order of the results.
  public enum Order: String, Sendable {
    /// Ascending row IDs.
    case asc

    /// Descending row IDs.
    case desc
  }

  private var compressFunction: String?
  private var uncompressFunction: String?
  private var languageId: String?
  private var matchInfo: MatchInfo?
  private var order: Order?

  /// Creates options without columns.
  public override init() { super.init() }

  /// Sets the function that compresses stored text.
  ///
  /// ```swift
  /// let config = FTS4Config().column(body).compress("zip").uncompress("unzip")
  /// ```
  ///
  /// - Parameter functionName: The name of the SQL function.
  /// - Returns: The configuration itself.
  @discardableResult
  open func compress(_ functionName: String) -> Self { with { compressFunction = functionName } }

  /// Sets the function that decompresses stored text.
  ///
  /// ```swift
  /// let config = FTS4Config().column(body).compress("zip").uncompress("unzip")
  /// ```
  ///
  /// - Parameter functionName: The name of the SQL function.
  /// - Returns: The configuration itself.
  @discardableResult
  open func uncompress(_ functionName: String) -> Self { with { uncompressFunction = functionName } }

  /// Sets the hidden column for the language of each row.
  ///
  /// ```swift
  /// let config = FTS4Config().column(body).languageId("lid")
  /// ```
  ///
  /// - Parameter columnName: The name of the column.
  /// - Returns: The configuration itself.
  @discardableResult
  open func languageId(_ columnName: String) -> Self { with { languageId = columnName } }

  /// Sets the match information to store.
  ///
  /// ```swift
  /// let config = FTS4Config().column(body).matchInfo(.fts3)
  /// ```
  ///
  /// - Parameter matchInfo: The match information.
  /// - Returns: The configuration itself.
  @discardableResult
  open func matchInfo(_ matchInfo: MatchInfo) -> Self { with { self.matchInfo = matchInfo } }

  /// Sets the order of the results.
  ///
  /// ```swift
  /// let config = FTS4Config().column(body).order(.desc)
  /// ```
  ///
  /// - Parameter order: The order.
  /// - Returns: The configuration itself.
  @discardableResult
  open func order(_ order: Order) -> Self { with { self.order = order } }

  override func arguments() -> [SQLExpression<Void>] {
    let unindexed = columnDefinitions.filter { $0.options.contains(.unindexed) }
    return super.arguments() + unindexed.map { .option("notindexed", $0.column.template) }
      + SQLExpression.option("languageid", quoted: languageId)
      + SQLExpression.option("compress", quoted: compressFunction)
      + SQLExpression.option("uncompress", quoted: uncompressFunction)
      + SQLExpression.option("matchinfo", quoted: matchInfo?.rawValue)
      + SQLExpression.option("order", quoted: order?.rawValue)
  }
}

/// The options of an FTS5 table.
///
/// ```swift
/// let config = FTS5Config().column(subject).column(body, [.unindexed])
/// try db.run(emails.create(.FTS5(config)))
/// ```
open class FTS5Config: FTSConfig {
  /// The position information that the index stores.
  public enum Detail: String, Sendable {
    /// Columns and offsets.
    case full

    /// Columns only.
    case column

    /// Row IDs only.
    case none
  }

  private var detail: Detail?
  private var contentRowId: SQLExpression<Void>?
  private var columnSize: Int?

  /// Creates options without columns.
  public override init() { super.init() }

  /// Sets the row ID column of the external content table.
  ///
  /// ```swift
  /// let config = FTS5Config().column(title).externalContent(posts).contentRowId(id)
  /// ```
  ///
  /// - Parameter column: The column.
  /// - Returns: The configuration itself.
  @discardableResult
  open func contentRowId(_ column: any Expressible) -> Self { with { contentRowId = column.expression } }

  /// Sets whether the table stores column sizes.
  ///
  /// ```swift
  /// let config = FTS5Config().column(body).columnSize(0)
  /// ```
  ///
  /// - Parameter size: 1 if the sizes are stored, 0 otherwise.
  /// - Returns: The configuration itself.
  @discardableResult
  open func columnSize(_ size: Int) -> Self { with { columnSize = size } }

  /// Sets the position information to store.
  ///
  /// ```swift
  /// let config = FTS5Config().column(body).detail(.column)
  /// ```
  ///
  /// - Parameter detail: The position information.
  /// - Returns: The configuration itself.
  @discardableResult
  open func detail(_ detail: Detail) -> Self { with { self.detail = detail } }

  override func arguments() -> [SQLExpression<Void>] {
    super.arguments() + (contentRowId.map { [.option("content_rowid", $0.template)] } ?? [])
      + (columnSize.map { [.option("columnsize", "\($0)")] } ?? [])
      + SQLExpression.option("detail", quoted: detail?.rawValue)
  }

  override func definition(_ column: SQLExpression<Void>, _ options: [ColumnOption]) -> SQLExpression<Void> {
    options.contains(.unindexed) ? SQLExpression("\(column.template) UNINDEXED", column.bindings) : column
  }

  override func tokenizerText(_ tokenizer: Tokenizer) -> String { tokenizer.fts5Description }
}
