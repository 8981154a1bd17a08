import CSQLite

/// The statement that has created a table, taken apart: what the table is made anew from, with a column less, or with
/// one under another name.
struct TableText {
  private typealias SQLToken = SQLWords.SQLToken

  /// A column, or a constraint of the table.
  private struct Definition {
    let tokens: [SQLToken]
    var text: String

    init(_ tokens: ArraySlice<SQLToken>) {
      self.tokens = Array(tokens)
      text = SQLWords.text(of: self.tokens)
    }

    /// Whether it is a column, and no constraint.
    var isColumn: Bool { tokens.first.map { !TableText.constraints.contains(where: $0.isWord) } ?? false }

    func isColumn(_ name: String) -> Bool { isColumn && tokens.first?.isName(name) == true }
  }

  private static let constraints = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]

  private var definitions: [Definition]

  /// What comes after them: `WITHOUT ROWID`.
  private let options: String

  /// Whether rows are known by ids.
  var hasRowIds: Bool { !SQLWords(options).contains("WITHOUT") }

  /// Nil when the statement lists no columns.
  init?(_ sql: String) {
    let tokens = SQLWords(sql).tokens
    guard let first = tokens.firstIndex(where: { $0.text == "(" }),
      let last = tokens[first...].firstIndex(where: { $0.text == ")" && $0.depth == 0 })
    else { return nil }
    definitions = tokens[(first + 1)..<last].split { $0.text == "," && $0.depth == 1 }.map { Definition($0) }
    options = String(sql[tokens[last].text.endIndex...])
  }

  /// The statement that creates such a table under a name.
  func sql(creating name: String) -> String {
    "CREATE TABLE \(name.quote()) (\(definitions.map(\.text).joined(separator: ", ")))\(options)"
  }

  // MARK: Changes

  /// Takes a column away.
  ///
  /// - parameter column: The column.
  /// - parameter table: The name of the table, which may refer to itself.
  /// - throws: What SQLite would say of a column that is not there, or that others need.
  mutating func drop(_ column: String, of table: String) throws {
    let index = try index(of: column)
    for (word, key) in [("PRIMARY", "PRIMARY KEY"), ("UNIQUE", "UNIQUE")]
    where definitions[index].tokens.dropFirst().contains(where: { $0.depth == 1 && $0.isWord(word) }) {
      throw Self.refusal("cannot drop \(key) column: \(column.quote())")
    }
    definitions.remove(at: index)
    // In quotes, SQLite could take a column that is gone for a text.
    if definitions.contains(where: {
      !Self.mentions(of: column, in: $0.tokens, ofTable: table) { $0.depth > 1 }.isEmpty
    }) {
      throw Self.refusal("error in table \(table) after drop column: no such column: \(column)")
    }
    if !definitions.contains(where: \.isColumn) {
      throw Self.refusal("cannot drop column \(column.quote()): no other columns exist")
    }
  }

  /// Names a column anew, wherever the table itself mentions it.
  ///
  /// - parameter column: The column.
  /// - parameter name: Its new name.
  /// - parameter table: The name of the table, which may refer to itself.
  mutating func rename(_ column: String, to name: String, in table: String) throws {
    let index = try index(of: column)
    for other in definitions.indices {
      let tokens = definitions[other].tokens
      var mentions = Self.mentions(of: column, in: tokens, ofTable: table) { $0.depth > 1 }
      if other == index { mentions.insert(0, at: 0) }
      definitions[other].text = SQLWords.text(of: tokens, replacing: mentions, by: name.quote())
    }
  }

  private func index(of column: String) throws -> Int {
    guard let index = definitions.firstIndex(where: { $0.isColumn(column) }) else {
      throw Self.refusal("no such column: \(column.quote())")
    }
    return index
  }

  private static func refusal(_ message: String) -> Result {
    .error(message: message, code: SQLITE_ERROR, statement: nil)
  }
}

// MARK: - Where a column is mentioned

extension TableText {
  /// The statement of an index of the table, with the column under another name.
  static func index(_ sql: String, renaming column: String, to name: String, in table: String) -> String {
    let tokens = SQLWords(sql).tokens
    return SQLWords.text(of: tokens, replacing: mentions(of: column, inIndex: tokens, of: table), by: name.quote())
  }

  /// Checks that an index of the table needs no column that is gone.
  static func checkIndex(_ index: ObjectDefinition, without column: String, in table: String) throws {
    if mentions(of: column, inIndex: SQLWords(index.sql ?? "").tokens, of: table).isEmpty { return }
    throw refusal("error in index \(index.name) after drop column: no such column: \(column)")
  }

  private static func mentions(of column: String, inIndex tokens: [SQLToken], of table: String) -> [Int] {
    let condition = tokens.firstIndex { $0.depth == 0 && $0.isWord("WHERE") } ?? tokens.endIndex
    let start = condition == tokens.endIndex ? nil : tokens[condition].text.startIndex
    return mentions(of: column, in: tokens, ofTable: table) { token in
      token.depth > 0 || start.map { token.text.startIndex > $0 } == true
    }
  }

  /// The statement of a trigger of the table, with the column under another name: in `new.column` and `old.column`, and
  /// among the columns of `UPDATE OF`.
  static func trigger(_ sql: String, renaming column: String, to name: String) -> String {
    let tokens = SQLWords(sql).tokens
    let begin = tokens.firstIndex { $0.isWord("BEGIN") } ?? tokens.endIndex
    let updated = tokens[..<begin].firstIndex { $0.isWord("OF") } ?? begin
    let on = tokens[updated..<begin].firstIndex { $0.isWord("ON") } ?? begin
    let mentions = tokens.indices.filter { index in
      guard tokens[index].isName(column) else { return false }
      if index > updated && index < on { return true }
      return index > 1 && tokens[index - 1].text == "."
        && (tokens[index - 2].isName("new") || tokens[index - 2].isName("old"))
    }
    return SQLWords.text(of: tokens, replacing: mentions, by: name.quote())
  }

  // A name before a parenthesis is that of a function; one after COLLATE, that of a collation; and one in the
  // parentheses after REFERENCES is a column of another table.
  private static func mentions(
    of column: String, in tokens: [SQLToken], ofTable table: String, where isExpression: (SQLToken) -> Bool
  ) -> [Int] {
    tokens.indices.filter { index in
      guard tokens[index].isName(column), isExpression(tokens[index]) else { return false }
      if index + 1 < tokens.count, tokens[index + 1].text == "(" { return false }
      if index > 0, tokens[index - 1].isWord("COLLATE") { return false }
      let opening = tokens[..<index].lastIndex { $0.text == "(" && $0.depth == tokens[index].depth - 1 }
      guard let opening, opening > 1, tokens[opening - 2].isWord("REFERENCES") else { return true }
      return tokens[opening - 1].isName(table)
    }
  }
}

extension SQLWords {
  /// The text from the first token to the last, with other names in some places.
  fileprivate static func text(of tokens: [SQLToken], replacing indexes: [Int] = [], by name: String = "") -> String {
    guard let first = tokens.first, let last = tokens.last else { return "" }
    var text = ""
    var position = first.text.startIndex
    for index in indexes {
      text += first.text.base[position..<tokens[index].text.startIndex] + name
      position = tokens[index].text.endIndex
    }
    return text + first.text.base[position..<last.text.endIndex]
  }
}
