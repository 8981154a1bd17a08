/// The words of a text for patterns, in SQLite's rules for ASCII text: letters, digits and all characters outside of
/// ASCII are parts of words, and ASCII letters become lower case.
///
/// Patterns are built from these words whatever tokenizer a table has: the tokenizer of the table splits them again.
struct PatternWords {
  let words: [String]

  /// - Parameter endsAtNUL: Whether the text ends at its first NUL character, as FTS3 reads it.
  init(_ text: String, endsAtNUL: Bool) {
    var words: [String] = []
    var word: [UInt8] = []
    for byte in text.utf8 {
      if byte == 0, endsAtNUL { break }
      if byte >= 0x80 || byte.isASCIILetterOrDigit {
        word.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte)
      } else if !word.isEmpty {
        words.append(String(decoding: word, as: UTF8.self))
        word.removeAll(keepingCapacity: true)
      }
    }
    if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
    self.words = words
  }

  /// Returns the pattern of one of the forms, or nil if there is no word.
  func pattern(_ form: Form) -> String? {
    if words.isEmpty { return nil }
    return switch form {
    case .any: words.joined(separator: " OR ")
    case .all: words.joined(separator: " ")
    case .allPrefixes: words.map { "\($0)*" }.joined(separator: " ")
    case .phrase: "\"\(words.joined(separator: " "))\""
    case .prefixPhrase: "^\"\(words.joined(separator: " "))\""
    }
  }

  enum Form {
    case any
    case all
    case allPrefixes
    case phrase
    case prefixPhrase
  }
}

/// Asks SQLite whether patterns are valid, in a database of its own.
enum PatternCheck {
  /// Throws SQLite's error if a pattern is not valid.
  ///
  /// - Parameter module: `fts3` or `fts5`.
  /// - Parameter columns: The columns that the pattern can name.
  static func validate(_ pattern: String, module: String, columns: [String]) throws {
    // A column must not have the name of the table.
    var table = "document"
    while columns.contains(where: { $0.asciiLowercased == table }) { table += "_" }
    let list = (columns.isEmpty ? ["\(table)_content"] : columns).quotedList
    do {
      try DatabaseQueue().inDatabase { db in
        try db.execute(sql: "CREATE VIRTUAL TABLE \(table) USING \(module)(\(list))")
        try db.execute(sql: "SELECT rowid FROM \(table) WHERE \(table) MATCH ?", arguments: [pattern])
      }
    } catch let error as DatabaseError {
      // The statement is not the caller's.
      throw DatabaseError(resultCode: error.extendedResultCode, message: error.message)
    }
  }
}
