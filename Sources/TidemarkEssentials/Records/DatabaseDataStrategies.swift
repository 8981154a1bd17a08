public import FoundationEssentials

/// How data is stored. See `EncodableRecord.databaseDataEncodingStrategy(for:)`.
public enum DatabaseDataEncodingStrategy: Sendable {
  /// As `Data.databaseValue` has it: a BLOB.
  case deferredToData

  /// A TEXT. Only data in UTF-8 can be stored.
  case text

  /// As a function has it. nil is NULL.
  case custom(@Sendable (Data) -> (any DatabaseValueConvertible)?)
}

extension DatabaseDataEncodingStrategy {
  /// - throws: An `EncodingError` when the data is not the text that it should be.
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

/// How data is read. See `FetchableRecord.databaseDataDecodingStrategy(for:)`.
public enum DatabaseDataDecodingStrategy: Sendable {
  /// As `Data` reads itself: from BLOBs, and from the bytes of TEXTs.
  case deferredToData

  /// As a function has it; nil when the value is no data.
  case custom(@Sendable (DatabaseValue) -> Data?)
}

extension DatabaseDataDecodingStrategy {
  /// The data in a column, which is not NULL.
  ///
  /// - throws: A `RowDecodingError` when the value is no data.
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

/// How UUIDs are stored. See `EncodableRecord.databaseUUIDEncodingStrategy(for:)`.
///
/// They are read from all these forms: see `UUID`.
public enum DatabaseUUIDEncodingStrategy: Sendable {
  /// As `UUID.databaseValue` has it: a BLOB of 16 bytes.
  case deferredToUUID

  /// A TEXT like `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
  case uppercaseString

  /// A TEXT like `e621e1f8-c36c-495a-93fc-0c247a3e6e5f`.
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
