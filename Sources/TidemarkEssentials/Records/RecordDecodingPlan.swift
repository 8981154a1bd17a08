import FoundationEssentials

/// What the rows of a statement have in common for the `Decodable` records that are made of them.
///
/// It is made for the first record, and kept by its decoder. Nobody else has it, so that it needs no lock.
final class RecordDecodingPlan {
  let recordType: any FetchableRecord.Type

  /// Which type it is.
  let recordID: ObjectIdentifier

  /// The key of each column, and where it is found: in the leftmost column of that key.
  let columns: [(key: String, index: Int)]

  /// Where keys are found, when they are not the names of the columns.
  private let indexes: [String: Int]?

  /// For each column, the type that is read from it as any value is. It was found out before.
  @exclusivity(unchecked) private var plainTypes: [ObjectIdentifier?]

  /// For each column, the type that was last read from it, and how.
  @exclusivity(unchecked) private var readings: [(type: ObjectIdentifier, reading: ColumnReading)?]

  init(_ recordType: any FetchableRecord.Type, _ row: Row) {
    self.recordType = recordType
    recordID = ObjectIdentifier(recordType)
    let names = row.columns
    let keys = recordType.databaseColumnDecodingStrategy.keys(names.names)
    if let keys {
      let indexes = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { leftmost, _ in leftmost })
      columns = keys.map { ($0, indexes[$0] ?? 0) }
      self.indexes = indexes
    } else {
      columns = names.names.enumerated().map { ($0.element, names.leftmost[$0.offset]) }
      indexes = nil
    }
    readings = Array(repeating: nil, count: names.count)
    plainTypes = Array(repeating: nil, count: names.count)
  }

  /// The leftmost column of a key.
  func index(of key: String, in row: Row) -> Int? {
    indexes.map { $0[key] } ?? row.columns.index(of: key)
  }

  /// Whether a type is read from a column as any value is: it is no date or data of which the record says otherwise.
  @inline(__always)
  func isPlain(_ type: Any.Type, at index: Int, for key: some CodingKey, in row: Row) -> Bool {
    plainTypes[index] == ObjectIdentifier(type) || learnIsPlain(type, index, key, row)
  }

  @inline(never)
  private func learnIsPlain(_ type: Any.Type, _ index: Int, _ key: some CodingKey, _ row: Row) -> Bool {
    let isPlain =
      switch reading(of: type, at: index, for: key, in: row) {
      case .date(.deferredToDate), .data(.deferredToData), .value: true
      case .date, .data, .optional, .decoding: false
      }
    if isPlain { plainTypes[index] = ObjectIdentifier(type) }
    return isPlain
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
