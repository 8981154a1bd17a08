public import FoundationEssentials

/// A strategy that stores `Data` properties. See ``EncodableRecord/databaseDataEncodingStrategy(for:)``.
public enum DatabaseDataEncodingStrategy: Sendable {
  /// Stores `Data.databaseValue`: a BLOB.
  case deferredToData

  /// Stores a TEXT. Encoding throws an error if the data is not valid UTF-8.
  case text

  /// Stores the value that a function returns; nil is stored as NULL.
  case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)
}

extension DatabaseDataEncodingStrategy {
  /// - Throws: An `EncodingError` if the data is not valid UTF-8 and the strategy is `text`.
  func databaseValue(of data: Data, at codingPath: [any CodingKey]) throws -> DatabaseValue {
    switch self {
    case .deferredToData: return data.databaseValue
    case .custom(let function): return function(data)?.databaseValue ?? .null
    case .text:
      guard let text = String(data: data, encoding: .utf8) else {
        throw EncodingError.refusing(data, "Non-UTF8 data can't be encoded as text in the database", codingPath)
      }
      return text.databaseValue
    }
  }
}

/// A strategy that reads `Data` properties. See ``FetchableRecord/databaseDataDecodingStrategy(for:)``.
public enum DatabaseDataDecodingStrategy: Sendable {
  /// Reads BLOBs, and the UTF-8 bytes of TEXT values.
  case deferredToData

  /// Calls a function that converts the database value. If it returns nil, decoding throws an error.
  case custom(@Sendable (DatabaseValue) -> Data?)
}

extension DatabaseDataDecodingStrategy {
  /// Returns the data in a column that is not NULL.
  ///
  /// - Throws: A `RowDecodingError` if the value cannot be converted to data.
  func data(_ row: Row, _ index: Int) throws -> Data {
    switch self {
    case .deferredToData: return try row.decode(Data.self, uncheckedIndex: index)
    case .custom(let function):
      guard let data = function(try row.decode(DatabaseValue.self, uncheckedIndex: index)) else {
        throw row.unreadable(Data.self, at: index)
      }
      return data
    }
  }
}

/// A strategy that stores `UUID` properties. See ``EncodableRecord/databaseUUIDEncodingStrategy(for:)``.
///
/// `UUID` properties are decoded from all these forms.
public enum DatabaseUUIDEncodingStrategy: Sendable {
  /// Stores `UUID.databaseValue`: a BLOB of 16 bytes.
  case deferredToUUID

  /// Stores a TEXT like `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  case uppercaseString

  /// Stores a TEXT like `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
  case lowercaseString
}

extension DatabaseUUIDEncodingStrategy {
  func databaseValue(of uuid: UUID) -> DatabaseValue {
    switch self {
    case .deferredToUUID: uuid.databaseValue
    case .uppercaseString: uuid.uuidString.databaseValue
    case .lowercaseString: uuid.uuidString.lowercased().databaseValue
    }
  }
}
