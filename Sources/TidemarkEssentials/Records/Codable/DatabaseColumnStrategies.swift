/// A strategy that converts the coding keys of an `Encodable` record to column names. See
/// ``EncodableRecord/databaseColumnEncodingStrategy``.
public enum DatabaseColumnEncodingStrategy: Sendable {
  /// Uses the coding keys as column names.
  case useDefaultKeys

  /// Converts camel case to snake case: `playerID` becomes `player_id`.
  case convertToSnakeCase

  /// Calls a function that returns the column name for a coding key.
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

/// A strategy that converts column names to the coding keys of a `Decodable` record. See
/// ``FetchableRecord/databaseColumnDecodingStrategy``.
public enum DatabaseColumnDecodingStrategy: Sendable {
  /// Uses the column names as coding keys.
  case useDefaultKeys

  /// Converts snake case to camel case: `player_id` becomes `playerId`.
  case convertFromSnakeCase

  /// Calls a function that returns the coding key for a column name.
  case custom(@Sendable (String) -> any CodingKey)
}

extension DatabaseColumnDecodingStrategy {
  /// Returns the coding keys for column names, or nil if they are equal to the names.
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
  /// The snake case form. A word begins with an uppercase letter. In a sequence of uppercase letters, the last one
  /// before a lowercase letter begins a word: `myURLProperty` becomes `my_url_property`, and `uniqueID` becomes
  /// `unique_id`.
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

  /// The camel case form: each word after the first is capitalized. Leading and trailing underscores are kept.
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
