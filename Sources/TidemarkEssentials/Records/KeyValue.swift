public import FoundationEssentials

/// The value of a key, before it is converted to a database value.
///
/// A record type may choose a storage strategy for dates, data and UUIDs by column. So the conversion requires the
/// column.
@usableFromInline
enum KeyValue: Sendable {
  case date(Date)
  case data(Data)
  case uuid(UUID)
  case value(DatabaseValue)

  @inlinable
  init<Value: DatabaseValueConvertible>(_ value: Value) {
    // Compare metatypes first: a dynamic cast costs more than the rest of this function.
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

  /// Creates the value of a dictionary element; nil is NULL.
  init(optional value: (any DatabaseValueConvertible)?) {
    self = value.map { KeyValue($0) } ?? .value(.null)
  }

  @usableFromInline
  var isNull: Bool {
    if case .value(let value) = self { value.isNull } else { false }
  }

  /// Returns the database value that a record type stores in a column.
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
