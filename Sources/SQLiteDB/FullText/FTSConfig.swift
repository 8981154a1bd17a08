/// How a full-text table is made: what FTS4 and FTS5 have in common.
open class FTSConfig {
  /// What a column is beside its name.
  public enum ColumnOption: Sendable {
    /// Its texts are stored, and not searched.
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
  @discardableResult
  open func column(_ column: any Expressible, _ options: [ColumnOption] = []) -> Self {
    with { columnDefinitions.append((column.expression, options)) }
  }

  /// Adds columns.
  @discardableResult
  open func columns(_ columns: [any Expressible]) -> Self { with { for column in columns { self.column(column) } } }

  /// Says how words are found.
  @discardableResult
  open func tokenizer(_ tokenizer: Tokenizer?) -> Self { with { self.tokenizer = tokenizer } }

  /// Has the beginnings of words found quickly, for these lengths of them.
  @discardableResult
  open func prefix(_ prefix: [Int]) -> Self { with { prefixes += prefix } }

  /// Has the texts looked up in another table.
  @discardableResult
  open func externalContent(_ schema: any SchemaType) -> Self {
    with { externalContentName = schema.unqualifiedName }
  }

  /// Has the texts stored nowhere: they are found, and not told.
  @discardableResult
  open func contentless() -> Self { with { isContentless = true } }

  // MARK: What SQL is told

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

/// How an FTS4 table is made.
///
/// ```swift
/// let config = FTS4Config().column(subject).column(body, [.unindexed]).languageId("lid").order(.desc)
/// try db.run(emails.create(.FTS4(config)))
/// ```
open class FTS4Config: FTSConfig {
  /// How what is found is told.
  public enum MatchInfo: String, Sendable {
    /// As FTS3 does: without the sizes of texts.
    case fts3
  }

  /// In which order rows are found.
  public enum Order: String, Sendable {
    /// Small ids first
    case asc

    /// Great ids first
    case desc
  }

  private var compressFunction: String?
  private var uncompressFunction: String?
  private var languageId: String?
  private var matchInfo: MatchInfo?
  private var order: Order?

  /// A table without columns, and with nothing said.
  public override init() { super.init() }

  /// Names the function that makes texts smaller, which are stored so.
  @discardableResult
  open func compress(_ functionName: String) -> Self { with { compressFunction = functionName } }

  /// Names the function that makes texts again what they were.
  @discardableResult
  open func uncompress(_ functionName: String) -> Self { with { uncompressFunction = functionName } }

  /// Names a hidden column of languages.
  @discardableResult
  open func languageId(_ columnName: String) -> Self { with { languageId = columnName } }

  /// Says how what is found is told.
  @discardableResult
  open func matchInfo(_ matchInfo: MatchInfo) -> Self { with { self.matchInfo = matchInfo } }

  /// Says in which order rows are found.
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

/// How an FTS5 table is made.
///
/// ```swift
/// let config = FTS5Config().column(subject).column(body, [.unindexed])
/// try db.run(emails.create(.FTS5(config)))
/// ```
open class FTS5Config: FTSConfig {
  /// What is stored of the places where a word is.
  public enum Detail: String, Sendable {
    /// All
    case full

    /// The columns
    case column

    /// The rows
    case none
  }

  private var detail: Detail?
  private var contentRowId: SQLExpression<Void>?
  private var columnSize: Int?

  /// A table without columns, and with nothing said.
  public override init() { super.init() }

  /// Names the column of the ids in the table where the texts are.
  @discardableResult
  open func contentRowId(_ column: any Expressible) -> Self { with { contentRowId = column.expression } }

  /// Says whether the sizes of texts are stored: 1, or 0.
  @discardableResult
  open func columnSize(_ size: Int) -> Self { with { columnSize = size } }

  /// Says what is stored of the places where a word is.
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
