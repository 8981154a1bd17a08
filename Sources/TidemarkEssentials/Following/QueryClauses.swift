/// The clauses of a plain `SELECT … FROM … WHERE … ORDER BY …`, as they stand in its text.
struct QueryClauses {
  /// From the `SELECT` on.
  let selection: Substring

  /// From the `FROM` on.
  let source: Substring

  /// Behind the `WHERE`.
  let condition: Substring?

  /// Behind the `ORDER BY`.
  let ordering: Substring?

  private enum Clause {
    case selection, source, condition, ordering
  }

  /// Nil where there are other clauses, or none that says where the rows come from.
  ///
  /// - parameter sql: A query that was parsed: the words of clauses are no names in it.
  init?(_ sql: String) {
    var texts: [Clause: Substring] = [:]
    var clause = Clause.selection
    var (depth, previousWord) = (0, "")
    var tokens = SQLTokenizer(sql)
    while let token = tokens.next(), token != .semicolon {
      let text = sql[tokens.range]
      if text == ")" { depth -= 1 }
      let word = token == .word && depth == 0 ? text.uppercased() : ""
      if text == "(" { depth += 1 }
      defer { previousWord = word }
      switch word {
      // There is `IS DISTINCT FROM`, too.
      case "FROM" where clause == .selection && previousWord != "DISTINCT": clause = .source
      case "WHERE":
        clause = .condition
        continue
      case "ORDER":
        clause = .ordering
        continue
      case "BY" where previousWord == "ORDER": continue
      // An index that must be used may be none for one row.
      case "INDEXED": return nil
      case "GROUP", "HAVING", "WINDOW", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "WITH": return nil
      default: break
      }
      texts[clause] = sql[(texts[clause]?.startIndex ?? text.startIndex)..<text.endIndex]
    }
    guard let selection = texts[.selection], let source = texts[.source] else { return nil }
    (self.selection, self.source) = (selection, source)
    (condition, ordering) = (texts[.condition], texts[.ordering])
  }
}
