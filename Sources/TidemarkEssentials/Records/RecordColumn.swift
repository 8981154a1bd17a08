import FoundationEssentials

/// The decoder source for the property of a record that is stored in a column.
struct RecordColumn<Key: CodingKey>: SingleValueSource {
  let row: Row
  let index: Int
  let plan: RecordDecodingPlan
  let key: Key

  func decode<Value: Decodable>(_ type: Value.Type, _ codingPath: [any CodingKey]) throws -> Value {
    let codingPath = codingPath + [key]
    let decoder = SingleValueDecoder(
      self, codingPath: codingPath, userInfo: plan.recordType.decodingUserInfo)
    do {
      return try Value(from: decoder)
    } catch {
      guard decoder.needsJSON else { throw error }
    }
    guard let json = try json(of: type) else {
      throw DecodingError.valueNotFound(
        Data.self, DecodingError.Context(codingPath: codingPath, debugDescription: "Missing Data"))
    }
    return try plan.recordType.databaseJSONDecoder(for: key.stringValue).decode(type, from: json)
  }

  private func json(of type: Any.Type) throws -> Data? {
    do {
      return try row.decode(Data?.self, uncheckedIndex: index)
    } catch is RowDecodingError {
      throw row.unreadable(type, at: index)
    }
  }

  // MARK: One value

  var isNull: Bool { row.hasNull(atIndex: index) }

  func value<Value: Decodable>(of type: Value.Type) throws -> Value? {
    switch plan.reading(of: type, at: index, for: key, in: row) {
    case .date(let strategy): sameValue(try strategy.date(row, index), as: type)
    case .data(let strategy): sameValue(try strategy.data(row, index), as: type)
    case .value(let valueType): try plan.value(of: valueType, as: type, at: index, in: row)
    case .optional, .decoding: nil
    }
  }
}

extension RecordDecodingPlan {
  func value<Stored: DatabaseValueConvertible, Value>(
    of storedType: Stored.Type, as type: Value.Type, at index: Int, in row: Row
  ) throws -> Value {
    sameValue(try row.decode(storedType, uncheckedIndex: index), as: type)
  }
}
