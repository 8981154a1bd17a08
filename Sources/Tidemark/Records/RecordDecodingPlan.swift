import Foundation

/// What the rows of a statement have in common for the `Decodable` records that are made of them.
///
/// It is made for the first record, and kept in the window through which all rows of the statement show. Nobody else
/// has it, so that it needs no lock.
final class RecordDecodingPlan {
  let recordType: any FetchableRecord.Type

  /// Where keys are found, when they are not the names of the columns.
  private let indexes: [String: Int]?

  /// For each column, the type that was last read from it, and how.
  @exclusivity(unchecked) private var readings: [(type: ObjectIdentifier, reading: ColumnReading)?]

  private init(_ recordType: any FetchableRecord.Type, _ row: Row) {
    self.recordType = recordType
    indexes = recordType.databaseColumnDecodingStrategy.columnIndexes(row.columnNames)
    readings = Array(repeating: nil, count: row.count)
  }

  /// The plan of a row.
  static func plan(of row: Row, for recordType: any FetchableRecord.Type) -> RecordDecodingPlan {
    if let kept = row.decodingPlan {
      // Nobody else keeps anything there.
      let plan = unsafeDowncast(kept, to: RecordDecodingPlan.self)
      if plan.recordType == recordType { return plan }
    }
    let plan = RecordDecodingPlan(recordType, row)
    row.decodingPlan = plan
    return plan
  }

  /// The leftmost column of a key.
  @inline(__always)
  func index(of key: some CodingKey, in row: Row) -> Int? {
    guard let indexes else { return key.stringValue._index(in: row) }
    return indexes[key.stringValue]
  }

  /// What the strategies of the record are told of a column: its name, as the record spells it.
  private func name(of key: some CodingKey, at index: Int, in row: Row) -> String {
    indexes == nil ? key.stringValue : row.columns.names[index]
  }

  /// How a type is read from a column. The strategies of the record are asked once per statement.
  @inline(__always)
  func reading(of type: Any.Type, at index: Int, for key: some CodingKey, in row: Row) -> ColumnReading {
    let id = ObjectIdentifier(type)
    if let known = readings[index], known.type == id { return known.reading }
    let reading = ColumnReading(of: type, in: recordType, name: name(of: key, at: index, in: row))
    readings[index] = (id, reading)
    return reading
  }
}

/// How a type is read from a column.
enum ColumnReading {
  /// As the strategy of the record says.
  case date(DatabaseDateDecodingStrategy)

  /// As the strategy of the record says.
  case data(DatabaseDataDecodingStrategy)

  /// As the type that the optional wraps, or as nil.
  case optional(any OptionalDecodable.Type)

  /// As a value.
  case value(any DatabaseValueConvertible.Type)

  /// By the `Decodable` code of the type: from one value, or from JSON.
  case decoding

  /// - parameter name: The column, as the record spells it.
  init(of type: Any.Type, in recordType: any FetchableRecord.Type, name: String) {
    if type == Date.self {
      self = .date(recordType.databaseDateDecodingStrategy(for: name))
    } else if type == Data.self {
      self = .data(recordType.databaseDataDecodingStrategy(for: name))
    } else if let type = type as? any OptionalDecodable.Type {
      self = .optional(type)
    } else if let type = type as? any DatabaseValueConvertible.Type {
      self = .value(type)
    } else {
      self = .decoding
    }
  }
}

/// A value whose type has two names in generic code: the compiler knows one, we know that the other is the same.
@inline(__always)
func sameValue<Value, Same>(_ value: Value, as type: Same.Type) -> Same {
  assert(Value.self == type)
  return unsafeBitCast(value, to: type)
}
