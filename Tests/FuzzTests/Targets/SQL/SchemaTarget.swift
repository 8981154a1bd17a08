@testable import SQLiteDB

/// The schema of a table that SQLite has created can be read, and the table can be rebuilt for a removed or renamed
/// column, or an error of SQLite is thrown. A rebuilt table has the expected columns.
func checkSchema(_ input: inout FuzzInput) throws {
  let number = input.choice(4)
  let isRenaming = input.bool()
  let sql = "CREATE TABLE t (" + input.definitions()
  guard !sql.utf8.contains(0) else { return }
  let connection = try Connection()
  do {
    try connection.run("CREATE TABLE p (x PRIMARY KEY)")
    let statement = try connection.prepare(sql)
    // `CREATE TABLE … AS` with a long query.
    guard !sql.uppercased().contains("SELECT") else { return }
    try statement.run()
    try connection.run("CREATE INDEX i ON t(1) WHERE 1")
  } catch is Result {
    return
  }
  let columns = try connection.schema.columnDefinitions(table: "t")
  for column in columns { _ = "\(column)" }
  _ = try connection.schema.indexDefinitions(table: "t")
  _ = try connection.schema.objectDefinitions()
  guard !columns.isEmpty else { return }
  let names = columns.map(\.name)
  let name = names[number % names.count]
  do {
    try connection.rebuildingTables {
      try connection.rebuild("t", isRenaming ? .renameColumn(name, "new name") : .dropColumn(name))
    }
  } catch is Result {
    try require(
      try connection.schema.columnDefinitions(table: "t").map(\.name) == names, "\(sql.debugDescription) was changed")
    return
  }
  let expected = isRenaming ? names.map { $0 == name ? "new name" : $0 } : names.filter { $0 != name }
  let rebuilt = try connection.schema.columnDefinitions(table: "t").map(\.name)
  try require(rebuilt == expected, "\(sql.debugDescription) without or with another \(name) has columns \(rebuilt)")
}

extension FuzzInput {
  /// The definitions of columns and constraints, and the options of a table.
  fileprivate mutating func definitions() -> String {
    if bool() { return restText() }
    let tokens = [
      "a", "b", "c", "\"d e\"", "[f g]", "`h`", "'i'", " INTEGER", " TEXT", " VARCHAR(10, 2)", " PRIMARY KEY", " ASC",
      " DESC", " AUTOINCREMENT", " ON CONFLICT REPLACE", " NOT NULL", " UNIQUE", " DEFAULT 1", " DEFAULT 'it''s'",
      " DEFAULT (1 + 2)", " DEFAULT x'0A'", " DEFAULT CURRENT_TIME", " COLLATE NOCASE", " CHECK (a > 0)", " CHECK (b)",
      " REFERENCES p(x)", " REFERENCES t(a) ON DELETE CASCADE", " DEFERRABLE INITIALLY DEFERRED", " AS (a || 'a')",
      " GENERATED ALWAYS AS (b + 1) STORED", ", ", ", CONSTRAINT n", ", PRIMARY KEY (a, b)", ", UNIQUE (a)",
      ", FOREIGN KEY (a) REFERENCES p", ", CHECK (a <> \"b\" AND t.c)", "(", ")", ") WITHOUT ROWID", ") STRICT", ") ",
      ";", "-- c\n", "/* a */", " ", "é", ".", "+", "-", "'", "\"", "a b", " CHECK", " DEFAULT", " x", "\t",
    ]
    return rest().map { tokens[Int($0) % tokens.count] }.joined()
  }
}
