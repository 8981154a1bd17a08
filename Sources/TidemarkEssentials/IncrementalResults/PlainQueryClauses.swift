/// The clauses of a simple `SELECT … FROM … WHERE … ORDER BY …`, as in its text.
struct PlainQueryClauses {
  /// The text from `SELECT` on.
  let selection: Substring

  /// The text from `FROM` on.
  let source: Substring

  /// The text after `WHERE`.
  let condition: Substring?

  /// The text after `ORDER BY`.
  let ordering: Substring?

  private enum Clause {
    case selection, source, condition, ordering
  }

  /// Nil if there are other clauses, or no `FROM`.
  ///
  /// - Parameter sql: A query that was parsed, so that the keywords of clauses are not names.
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
      // `IS DISTINCT FROM` is an operator.
      case "FROM" where clause == .selection && previousWord != "DISTINCT": clause = .source
      case "WHERE":
        clause = .condition
        continue
      case "ORDER":
        clause = .ordering
        continue
      case "BY" where previousWord == "ORDER": continue
      // An index that must be used may not be applicable to a query of one row.
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
