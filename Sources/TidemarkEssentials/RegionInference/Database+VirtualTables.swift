// The tables that store the content of virtual tables. SQLite's authorizer reports only the virtual table, but the
// changed rows belong to other tables.

extension Database {
  /// The eponymous virtual tables that compute their rows from their arguments, in lower case.
  static let functionTables: Set = ["json_each", "json_tree", "generate_series"]

  /// The region of the tables that store the rows of a virtual table.
  ///
  /// - Parameter sql: The text that created it; nil for an eponymous virtual table.
  /// - Parameter depth: The number of virtual tables that lead to this one.
  func region(behind table: TableFacts, createdBy sql: String?, depth: Int) throws -> DatabaseRegion {
    guard let sql else {
      return Self.functionTables.contains(table.key.name.asciiLowercased) ? DatabaseRegion() : .fullDatabase
    }
    guard depth < 4, let creation = VirtualTableCreation(sql) else { return .fullDatabase }
    var tables: [TableKey: TableRegion] = [:]
    for shadow in table.shadowTables { tables[shadow] = .all }
    let region = DatabaseRegion(tables: tables)
    switch creation.module {
    case "rtree", "rtree_i32", "geopoly":
      return region
    case "fts3", "fts4", "fts5":
      switch creation.content {
      case .own: return region
      case .unknown: return .fullDatabase
      case .table(let name):
        let database = table.key.database.quotedDatabaseIdentifier
        let sql = "SELECT * FROM \(database).\(name.quotedDatabaseIdentifier)"
        let statement = try compile(sql, isInternal: true)
        return region.union(try RegionInference.plan(of: statement, depth: depth + 1).region([]))
      }
    default:
      return .fullDatabase
    }
  }
}

/// The parsed text that created a virtual table.
struct VirtualTableCreation {
  /// Where a full-text table stores its rows.
  enum RowStorage: Equatable {
    /// In shadow tables, or nowhere.
    case own
    case table(String)
    case unknown
  }

  /// The name of the module, in lower case.
  var module: String
  var content = RowStorage.own

  init?(_ sql: String) {
    guard let lexemes = SQLLexeme.all(in: sql), let using = lexemes.firstIndex(where: { $0.keyword == "USING" }),
      lexemes.indices.contains(using + 1)
    else { return nil }
    module = lexemes[using + 1].text.asciiLowercased
    var argument: [SQLLexeme] = []
    var depth = 0
    for lexeme in lexemes.dropFirst(using + 2) {
      if lexeme.kind == .symbol {
        if lexeme.text == "(" { depth += 1 }
        if lexeme.text == ")" { depth -= 1 }
        let isBoundary = depth == 1 && (lexeme.text == "(" || lexeme.text == ",") || depth == 0
        if isBoundary {
          read(argument)
          argument = []
          continue
        }
      }
      argument.append(lexeme)
    }
  }

  /// Parses one argument: `content = name`.
  private mutating func read(_ argument: [SQLLexeme]) {
    guard argument.count >= 2, argument[0].text.asciiLowercased == "content", argument[1].text == "=" else { return }
    switch argument.count {
    case 2: content = .own
    case 3 where argument[2].kind == .symbol: content = .unknown
    case 3: content = argument[2].text.isEmpty ? .own : .table(argument[2].text)
    default: content = .unknown
    }
  }
}
