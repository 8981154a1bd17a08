import CSQLite

/// A parsed CREATE TABLE statement, from which a table can be rebuilt without one of its columns, or with a renamed
/// column.
struct TableText {
  private typealias SQLToken = SQLWords.SQLToken

  /// The definition of a column, or a constraint of the table.
  private struct Definition {
    let tokens: [SQLToken]
    var text: String

    init(_ tokens: ArraySlice<SQLToken>) {
      self.tokens = Array(tokens)
      text = SQLWords.text(of: self.tokens)
    }

    /// Whether it is the definition of a column.
    var isColumn: Bool { tokens.first.map { !TableText.constraints.contains(where: $0.isWord) } ?? false }

    func isColumn(_ name: String) -> Bool { isColumn && tokens.first?.isName(name) == true }
  }

  private static let constraints = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]

  private var definitions: [Definition]

  /// The options after the definitions, such as `WITHOUT ROWID`.
  private let options: String

  /// Whether the table has row IDs.
  var hasRowIds: Bool { !SQLWords(options).contains("WITHOUT") }

  /// Returns nil if the statement does not list columns.
  init?(_ sql: String) {
    let tokens = SQLWords(sql).tokens
    guard let first = tokens.firstIndex(where: { $0.text == "(" }),
      let last = tokens[first...].firstIndex(where: { $0.text == ")" && $0.depth == 0 })
    else { return nil }
    definitions = tokens[(first + 1)..<last].split { $0.text == "," && $0.depth == 1 }.map { Definition($0) }
    options = String(sql[tokens[last].text.endIndex...])
  }

  /// Returns a statement that creates the same table with another name.
  func sql(creating name: String) -> String {
    "CREATE TABLE \(name.quote()) (\(definitions.map(\.text).joined(separator: ", ")))\(options)"
  }

  // MARK: Changes

  /// Removes a column.
  ///
  /// - Parameters:
  ///   - column: The name of the column.
  ///   - table: The name of the table, which may reference itself.
  /// - Throws: The same error as SQLite, if the column is missing or if another definition needs it.
  mutating func drop(_ column: String, of table: String) throws {
    let index = try index(of: column)
    for (word, key) in [("PRIMARY", "PRIMARY KEY"), ("UNIQUE", "UNIQUE")]
    where definitions[index].tokens.dropFirst().contains(where: { $0.depth == 1 && $0.isWord(word) }) {
      throw Self.refusal("cannot drop \(key) column: \(column.quote())")
    }
    definitions.remove(at: index)
    // SQLite could interpret the quoted name of a missing column as a string.
    if definitions.contains(where: {
      !Self.mentions(of: column, in: $0.tokens, ofTable: table) { $0.depth > 1 }.isEmpty
    }) {
      throw Self.refusal("error in table \(table) after drop column: no such column: \(column)")
    }
    if !definitions.contains(where: \.isColumn) {
      throw Self.refusal("cannot drop column \(column.quote()): no other columns exist")
    }
  }

  /// Renames a column, including all references to it in the statement.
  ///
  /// - Parameters:
  ///   - column: The name of the column.
  ///   - name: The new name.
  ///   - table: The name of the table, which may reference itself.
  /// - Throws: The same error as SQLite, if the column is missing.
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

// MARK: - References to columns

extension TableText {
  /// Returns the statement of an index of the table, with the column renamed.
  static func index(_ sql: String, renaming column: String, to name: String, in table: String) -> String {
    let tokens = SQLWords(sql).tokens
    return SQLWords.text(of: tokens, replacing: mentions(of: column, inIndex: tokens, of: table), by: name.quote())
  }

  /// Throws an error if an index of the table needs a removed column.
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

  /// Returns the statement of a trigger of the table, with the column renamed: in `new.column` and `old.column`, and in
  /// the column list of `UPDATE OF`.
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

  // A name before a parenthesis is a function, and a name after COLLATE is a collation. A name in the parentheses after
  // REFERENCES is a column of the referenced table.
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
  /// Returns the text from the first token to the last one, with some of the tokens replaced.
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
