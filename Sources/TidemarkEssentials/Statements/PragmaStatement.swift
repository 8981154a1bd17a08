import CSQLite

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
    // It concerns the connection only.
    return .empty
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

/// The settings in the header of a database that pragmas read and write.
enum StoredSetting {
  static let names: Set = ["application_id", "auto_vacuum", "encoding", "schema_version", "user_version"]

  /// Returns whether a compiled pragma changes a stored setting.
  static func isChanged(by pragma: UnsafePointer<CChar>, hasValue: Bool) -> Bool {
    // These pragmas free pages, and compute statistics, with or without a value.
    if sqlite3_stricmp(pragma, "incremental_vacuum") == 0 || sqlite3_stricmp(pragma, "optimize") == 0 { return true }
    return hasValue && names.contains { sqlite3_stricmp(pragma, $0) == 0 }
  }
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
