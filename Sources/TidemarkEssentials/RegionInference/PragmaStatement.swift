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
    func text() -> String { String(sql[tokens.range]) }
    guard tokens.next() == .word, text().asciiLowercased == "pragma" else { return nil }
    var (name, isNameNext, hasValue) = ("", true, false)
    while let token = tokens.next(), token != .semicolon {
      if isNameNext {
        (name, isNameNext) = (text().unquotedSQLName.asciiLowercased, false)
      } else if text() == "." {
        isNameNext = true
      } else {
        hasValue = true
        break
      }
    }
    (self.name, self.hasValue) = (name, hasValue)
  }

  /// The region of the pragma.
  var region: DatabaseRegion {
    if StoredSetting.names.contains(name) { return hasValue ? DatabaseRegion() : .fullDatabase }
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

extension String {
  /// The name without enclosing quotes.
  fileprivate var unquotedSQLName: String {
    guard let first, let last, count >= 2 else { return self }
    switch (first, last) {
    case ("\"", "\""), ("'", "'"), ("`", "`"), ("[", "]"): return String(dropFirst().dropLast())
    default: return self
    }
  }
}
