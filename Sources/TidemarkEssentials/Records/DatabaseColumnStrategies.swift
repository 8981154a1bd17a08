/// How the keys of an `Encodable` record become columns. See `EncodableRecord.databaseColumnEncodingStrategy`.
public enum DatabaseColumnEncodingStrategy: Sendable {
  /// The keys are the columns.
  case useDefaultKeys

  /// `playerID` is stored in `player_id`.
  case convertToSnakeCase

  /// A function names the column of a key.
  case custom(@Sendable (any CodingKey) -> String)
}

extension DatabaseColumnEncodingStrategy {
  func column(for key: some CodingKey) -> String {
    switch self {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: key.stringValue.convertedToSnakeCase
    case .custom(let function): function(key)
    }
  }
}

/// How the columns of a row become the keys of a `Decodable` record. See
/// `FetchableRecord.databaseColumnDecodingStrategy`.
public enum DatabaseColumnDecodingStrategy: Sendable {
  /// The columns are the keys.
  case useDefaultKeys

  /// `player_id` is the key `playerId`.
  case convertFromSnakeCase

  /// A function makes the key of a column.
  case custom(@Sendable (String) -> any CodingKey)
}

extension DatabaseColumnDecodingStrategy {
  /// The keys of some columns; nil when the keys are the columns.
  func keys(_ columns: [String]) -> [String]? {
    switch self {
    case .useDefaultKeys: nil
    case .convertFromSnakeCase: columns.map { $0.convertedFromSnakeCase }
    case .custom(let function): columns.map { function($0).stringValue }
    }
  }
}

// MARK: - Snake case

extension String {
  /// Words begin with a capital. Of several capitals in a row, the one before the next small letter begins a word: so
  /// `myURLProperty` is `my_url_property`, and `uniqueID` is `unique_id`.
  var convertedToSnakeCase: String {
    let characters = Array(self)
    var words: [ArraySlice<Character>] = []
    var start = 0
    var next = 1
    while let capital = characters.indices.dropFirst(next).first(where: { characters[$0].isUppercase }) {
      words.append(characters[start..<capital])
      start = capital
      guard let small = characters.indices.dropFirst(capital).first(where: { characters[$0].isLowercase }) else {
        break
      }
      if small > capital + 1 {
        words.append(characters[capital..<small - 1])
        start = small - 1
      }
      next = small + 1
    }
    words.append(characters[start...])
    return words.map { String($0).lowercased() }.joined(separator: "_")
  }

  /// The words between underscores, all but the first one with a capital. Underscores at both ends stay.
  var convertedFromSnakeCase: String {
    guard let first = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else {
      return self
    }
    let words = self[first...last].split(separator: "_")
    guard words.count > 1 else { return self }
    let joined = words[0].lowercased() + words[1...].map(\.capitalizedWord).joined()
    return self[..<first] + joined + self[index(after: last)...]
  }
}

extension Substring {
  fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
