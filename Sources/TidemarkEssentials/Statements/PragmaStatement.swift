import CSQLite

/// A `PRAGMA` statement, as far as its text tells what it reads.
///
/// SQLite's authorizer names no table for a pragma, and the compiler carries out many of them.
struct PragmaStatement {
  /// The name, in lower case.
  private let name: String

  /// Whether a value follows, after `=` or between parentheses.
  private let hasValue: Bool

  /// Nil when the text is no pragma.
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

  /// What the pragma reads.
  var regionPlan: RegionPlan {
    if StoredSetting.names.contains(name) {
      return hasValue ? .empty : RegionPlan(RegionPlan.Findings(rest: .fullDatabase), parameterCount: 0)
    }
    if Self.contentNames.contains(name) {
      return RegionPlan(RegionPlan.Findings(rest: .fullDatabase), parameterCount: 0)
    }
    if Self.schemaNames.contains(name) {
      let schemaTable = DatabaseRegion(tables: [TableKey("sqlite_master"): .all])
      return RegionPlan(RegionPlan.Findings(rest: schemaTable), parameterCount: 0)
    }
    // It is about the connection.
    return .empty
  }

  /// Pragmas whose answer depends on rows, or on how many pages there are.
  private static let contentNames: Set = [
    "data_version", "foreign_key_check", "freelist_count", "integrity_check", "page_count", "quick_check",
  ]

  /// Pragmas whose answer depends on the schema.
  private static let schemaNames: Set = [
    "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list", "table_xinfo",
  ]
}

/// What a database stores in its header, beside its tables, and pragmas read and write.
enum StoredSetting {
  static let names: Set = ["application_id", "auto_vacuum", "encoding", "schema_version", "user_version"]

  /// Whether a pragma that is compiled will change what is stored.
  static func isChanged(by pragma: UnsafePointer<CChar>, hasValue: Bool) -> Bool {
    // This one frees pages, with or without a number.
    if sqlite3_stricmp(pragma, "incremental_vacuum") == 0 { return true }
    return hasValue && names.contains { sqlite3_stricmp(pragma, $0) == 0 }
  }
}

extension String {
  /// A name without the quotes that may be around it.
  fileprivate var unquotedSQLName: String {
    guard let first, let last, count >= 2 else { return self }
    switch (first, last) {
    case ("\"", "\""), ("'", "'"), ("`", "`"), ("[", "]"): return String(dropFirst().dropLast())
    default: return self
    }
  }
}
