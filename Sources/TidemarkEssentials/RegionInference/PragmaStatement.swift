/// A `PRAGMA` statement, and the region that follows from its SQL.
///
/// SQLite's authorizer reports no table for a pragma, and many pragmas are executed during compilation.
struct PragmaStatement {
  /// The name, in lower case.
  private let name: String

  /// Whether the pragma has a value, after `=` or between parentheses.
  private let hasValue: Bool

  /// Nil if the SQL is not a pragma.
  init?(_ sql: String) {
    var tokens = SQLTokenizer(sql)
    guard tokens.next() == .word, sql[tokens.range].asciiUppercased == "PRAGMA", let lexemes = SQLLexeme.all(in: sql)
    else { return nil }
    let words = lexemes.filter { $0.text != ";" }
    let index = words.count > 3 && words[2].text == "." ? 3 : 1
    name = words.indices.contains(index) ? words[index].text.asciiLowercased : ""
    hasValue = words.count > index + 1
  }

  /// The region of the pragma.
  var region: DatabaseRegion {
    if StoredSetting.includes(name) { return hasValue ? DatabaseRegion() : .fullDatabase }
    if Self.contentNames.contains(name) { return .fullDatabase }
    if Self.schemaNames.contains(name) { return DatabaseRegion(tables: [TableKey("sqlite_master"): .all]) }
    // It concerns the connection only.
    return DatabaseRegion()
  }

  /// Pragmas whose result depends on rows, or on the number of pages.
  private static let contentNames: Set = [
    "data_version", "foreign_key_check", "freelist_count", "integrity_check", "page_count", "quick_check",
  ]

  /// Pragmas whose result depends on the schema.
  private static let schemaNames: Set = [
    "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list", "table_xinfo",
  ]
}
