import SQLiteDB
import Testing

private let emails = VirtualTable("emails")
private let subject = SQLExpression<String>("subject")
private let body = SQLExpression<String>("body")

@Suite struct FullTextTests {
  private func module(_ module: Module) -> String {
    String(emails.create(module).dropFirst("CREATE VIRTUAL TABLE \"emails\" USING ".count))
  }

  @Test func optionalPatternsBuildOptionalConditions() {
    let pattern = SQLExpression<String?>("pattern")
    let condition: SQLExpression<Bool?> = emails.match(pattern)
    #expect(sql(condition) == "(\"emails\" MATCH \"pattern\")")
    let found: any QueryType = emails.match(pattern)
    #expect(sql(found) == "SELECT * FROM \"emails\" WHERE (\"emails\" MATCH \"pattern\")")
    let certain: SQLExpression<Bool> = emails.match(subject)
    #expect(sql(certain) == "(\"emails\" MATCH \"subject\")")
  }

  private final class English: FTS5Config {
    override func tokenizer(_ tokenizer: Tokenizer?) -> Self { super.tokenizer(tokenizer ?? .Porter) }
  }

  @Test func configurationsCanBeSubclassed() {
    #expect(module(.FTS5(English().column(subject).tokenizer(nil))) == "fts5(\"subject\", tokenize=porter)")
  }

  @Test func fts4TablesAreCreated() {
    #expect(emails.create(.FTS4(subject, body)) == "CREATE VIRTUAL TABLE \"emails\" USING fts4(\"subject\", \"body\")")
    #expect(
      emails.create(.FTS4(subject), ifNotExists: true)
        == "CREATE VIRTUAL TABLE IF NOT EXISTS \"emails\" USING fts4(\"subject\")")
    #expect(module(.FTS4([subject, body], tokenize: .Porter)) == "fts4(\"subject\", \"body\", tokenize=porter)")
    #expect(module(.FTS4()) == "fts4()")
    #expect(module(.FTS4(tokenize: .Simple)) == "fts4(tokenize=simple)")
    #expect(
      module(.FTS4(tokenize: .Unicode61(removeDiacritics: false))) == "fts4(tokenize=unicode61 \"remove_diacritics=0\")"
    )
    #expect(
      module(.FTS4(tokenize: .Unicode61(removeDiacritics: true, tokenchars: ["."], separators: ["X"])))
        == "fts4(tokenize=unicode61 \"remove_diacritics=1\" \"tokenchars=.\" \"separators=X\")")
  }

  @Test func fts4ConfigurationBuildsSQL() {
    let config = FTS4Config()
      .column(subject)
      .column(body, [.unindexed])
      .languageId("lid")
      .order(.desc)
    #expect(
      module(.FTS4(config)) == "fts4(\"subject\", \"body\", notindexed=\"body\", languageid=\"lid\", order=\"desc\")")
    let all = FTS4Config().tokenizer(.Porter).columns([subject, body]).externalContent(Table("t")).prefix([4, 2])
      .compress("c").uncompress("u").matchInfo(.fts3)
    #expect(
      module(.FTS4(all))
        == "fts4(\"subject\", \"body\", tokenize=porter, prefix=\"2,4\", content=\"t\", compress=\"c\", "
        + "uncompress=\"u\", matchinfo=\"fts3\")")
    #expect(module(.FTS4(FTS4Config().contentless())) == "fts4(content=\"\")")
  }

  @Test func fullTextSearchFindsRows() throws {
    let db = try Connection()
    try db.run(emails.create(.FTS4(subject, body)))
    try db.run(
      emails.insert(
        subject <- "Just Checking In",
        body <- "Hey, I was just wondering...did you get my last email?"
      ))
    let wonderfulEmails: any QueryType = emails.match("wonder*")
    #expect(sql(wonderfulEmails) == "SELECT * FROM \"emails\" WHERE (\"emails\" MATCH 'wonder*')")
    let replies = emails.filter(subject.match("Re:*"))
    #expect(sql(replies) == "SELECT * FROM \"emails\" WHERE (\"subject\" MATCH 'Re:*')")
    #expect(try Array(db.prepare(wonderfulEmails)).map { $0[subject] } == ["Just Checking In"])
    #expect(try db.scalar(replies.count) == 0)
  }

  @Test func `full-text tables with an alias or a database are searched`() throws {
    let db = try Connection()
    try db.attach(.inMemory, as: "external")
    let attached = VirtualTable("emails", database: "external")
    for table in [emails, attached] {
      try db.run(table.create(.FTS5(FTS5Config().column(subject))))
      try db.run(table.insert(subject <- "Just Checking In"))
    }
    let found = emails.alias("e")
    #expect(
      sql(found.match("check*") as any QueryType)
        == "SELECT * FROM \"emails\" AS \"e\" WHERE (\"e\".\"emails\" MATCH 'check*')")
    #expect(try db.prepare(found.match("check*")).map { $0[subject] } == ["Just Checking In"])
    #expect(try db.prepare(attached.match("check*")).map { $0[subject] } == ["Just Checking In"])
  }

  @Test func fts5TablesAreCreated() throws {
    let config = FTS5Config()
      .column(subject)
      .column(body, [.unindexed])
    #expect(module(.FTS5(config)) == "fts5(\"subject\", \"body\" UNINDEXED)")
    let all = FTS5Config().column(subject).tokenizer(.Porter).prefix([2]).contentRowId(id).columnSize(1).detail(.column)
    #expect(
      module(.FTS5(all))
        == "fts5(\"subject\", tokenize=porter, prefix=\"2\", content_rowid=\"id\", columnsize=1, detail=\"column\")")
    let db = try Connection()
    try db.run(emails.create(.FTS5(config)))
    try db.run(emails.insert(subject <- "Re: hello", body <- "x"))
    let replies = emails.filter(emails.match("subject:\"Re:\"*"))
    #expect(sql(replies) == "SELECT * FROM \"emails\" WHERE (\"emails\" MATCH 'subject:\"Re:\"*')")
    #expect(try db.scalar(replies.count) == 1)
  }

  @Test(arguments: [0, 1, 2, 3])
  func fts5TokenizersBuildSQL(index: Int) throws {
    let tokenizers: [Tokenizer] = [
      .Porter, .Trigram(), .Trigram(caseSensitive: true),
      .Unicode61(removeDiacritics: false, tokenchars: ["-", "'", "\""], separators: ["x"]),
    ]
    let db = try Connection()
    try db.run(emails.create(.FTS5(FTS5Config().column(subject).tokenizer(tokenizers[index]))))
    try db.run(emails.insert(subject <- "well-known words"))
    #expect(try db.scalar(emails.filter(emails.match("words")).count) == 1)
    #expect(try db.scalar(emails.filter(emails.match("\"well-known\"")).count) == 1)
  }

  @Test func rtreeTablesAreCreated() throws {
    let min = SQLExpression<Double>("minX"), max = SQLExpression<Double>("maxX"), boxes = VirtualTable("boxes")
    let text = boxes.create(.RTree(id, (min, max)))
    #expect(text == "CREATE VIRTUAL TABLE \"boxes\" USING rtree(\"id\", \"minX\", \"maxX\")")
    #expect(
      boxes.create(Module("my module", ["a", id])) == "CREATE VIRTUAL TABLE \"boxes\" USING \"my module\"('a', \"id\")")
    let db = try Connection()
    try db.run(text)
    try db.run(boxes.insert(id <- 1, min <- 0, max <- 10))
    #expect(try db.scalar(boxes.filter(min < 5 && max > 5).count) == 1)
  }
}
