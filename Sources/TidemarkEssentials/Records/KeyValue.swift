public import FoundationEssentials

/// A value of a key, as the program gave it.
///
/// A record type may choose how dates, data and UUIDs are stored, column by column. So what such a value is in the
/// database is known when the column is.
@usableFromInline
enum KeyValue: Sendable {
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case value(DatabaseValue)

  @inlinable
  init<Value: DatabaseValueConvertible>(_ value: Value) {
    // Metatypes are compared first: casts cost more than all the rest.
    if Value.self == UUID.self || Value.self == UUID?.self, let uuid = value as? UUID {
      self = .uuid(uuid)
    } else if Value.self == Date.self || Value.self == Date?.self, let date = value as? Date {
      self = .date(date)
    } else if Value.self == Data.self || Value.self == Data?.self, let data = value as? Data {
      self = .data(data)
    } else {
      self = .value(value.databaseValue)
    }
  }

  /// The value of an element of a dictionary of keys; NULL for nil.
  init(optional value: (any DatabaseValueConvertible)?) {
    self = value.map { KeyValue($0) } ?? .value(.null)
  }

  @usableFromInline
  var isNull: Bool {
    if case .value(let value) = self { value.isNull } else { false }
  }

  /// What a record type stores for the value in a column.
  ///
  /// - Parameter recordType: The type whose strategies apply; nil for none.
  /// - Throws: An `EncodingError` when the strategy refuses the value.
  func databaseValue(in column: String, of recordType: (any EncodableRecord.Type)?) throws -> DatabaseValue {
    switch self {
    case .value(let value): value
    case .uuid(let uuid):
      recordType?.databaseUUIDEncodingStrategy(for: column).databaseValue(of: uuid) ?? uuid.databaseValue
    case .date(let date):
      try recordType?.databaseDateEncodingStrategy(for: column).databaseValue(of: date, at: []) ?? date.databaseValue
    case .data(let data):
      try recordType?.databaseDataEncodingStrategy(for: column).databaseValue(of: data, at: []) ?? data.databaseValue
    }
  }
}
