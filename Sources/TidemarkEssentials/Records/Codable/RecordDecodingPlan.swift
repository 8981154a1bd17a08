import FoundationEssentials

/// The information that all rows of a statement share when `Decodable` records are decoded from them.
///
/// The plan is created for the first record. A window keeps the plans of its record types, also for the next run of its
/// statement. Only decoders of this window use them, so they need no lock.
final class RecordDecodingPlan {
  let recordType: any FetchableRecord.Type

  /// The identity of the record type.
  let recordID: ObjectIdentifier

  /// The key of each column and the index of the leftmost column with that key.
  let columns: [(key: String, index: Int)]

  /// The column index of each key, if keys are not column names.
  private let indexes: [String: Int]?

  private struct Types {
    /// For each column, the type already known to be decoded without a strategy.
    var plain: [ObjectIdentifier?]

    /// For each column, the type last decoded from it, and its decoding method.
    var readings: [(type: ObjectIdentifier, reading: ColumnReading)?]

    /// The types decoded from prefetched rows, and how their elements are decoded if they are arrays of records.
    var arrays: [(type: ObjectIdentifier, array: (any RecordArray.Type)?)] = []

    /// Whether strategies of the record determine some of the above.
    var dependOnStrategies = false
  }

  private var types: Types

  /// The plan of another record type for the same window.
  private var next: RecordDecodingPlan?

  /// Returns the plan for a record type that the window keeps, or a new plan.
  ///
  /// A record may change its strategies from run to run.
  static func plan(of row: Row, for recordType: any FetchableRecord.Type) -> RecordDecodingPlan {
    let keys = recordType.databaseColumnDecodingStrategy.keys(row.columns.names)
    guard keys == nil, row.reusesDecoder else { return RecordDecodingPlan(recordType, row, keys: keys) }
    // Only this function stores plans.
    let first = row.decodingPlan.map { unsafeDowncast($0, to: RecordDecodingPlan.self) }
    var known = first
    while let plan = known {
      if plan.recordID == ObjectIdentifier(recordType) {
        plan.forgetStrategies()
        return plan
      }
      known = plan.next
    }
    let plan = RecordDecodingPlan(recordType, row, keys: nil)
    plan.next = first
    row.decodingPlan = plan
    return plan
  }

  private init(_ recordType: any FetchableRecord.Type, _ row: Row, keys: [String]?) {
    self.recordType = recordType
    recordID = ObjectIdentifier(recordType)
    let names = row.columns
    if let keys {
      let indexes = Dictionary(zip(keys, keys.indices), uniquingKeysWith: { leftmost, _ in leftmost })
      columns = keys.map { ($0, indexes[$0] ?? 0) }
      self.indexes = indexes
    } else {
      columns = names.names.enumerated().map { ($0.element, names.leftmost[$0.offset]) }
      indexes = nil
    }
    types = Types(
      plain: Array(repeating: nil, count: names.count), readings: Array(repeating: nil, count: names.count))
  }

  private func forgetStrategies() {
    guard types.dependOnStrategies else { return }
    types.dependOnStrategies = false
    for index in types.plain.indices {
      types.plain[index] = nil
      types.readings[index] = nil
    }
  }

  /// Returns the index of the leftmost column for a key.
  func index(of key: String, in row: Row) -> Int? {
    indexes.map { $0[key] } ?? row.columns.index(of: key)
  }

  /// Returns whether a type is decoded from a column as a plain value, because the record has no custom strategy for
  /// it.
  @inline(__always)
  func isPlain(_ type: Any.Type, at index: Int, for key: some CodingKey, in row: Row) -> Bool {
    types.plain[index] == ObjectIdentifier(type) || learnIsPlain(type, index, key, row)
  }

  @inline(never)
  private func learnIsPlain(_ type: Any.Type, _ index: Int, _ key: some CodingKey, _ row: Row) -> Bool {
    let isPlain =
      switch reading(of: type, at: index, for: key, in: row) {
      case .date(.deferredToDate), .data(.deferredToData), .value: true
      case .date, .data, .optional, .decoding: false
      }
    if isPlain { types.plain[index] = ObjectIdentifier(type) }
    return isPlain
  }

  /// Returns a type as an array of records, or nil if it is another type.
  func recordArray(_ type: Any.Type) -> (any RecordArray.Type)? {
    let id = ObjectIdentifier(type)
    if let known = types.arrays.first(where: { $0.type == id }) { return known.array }
    let array = type as? any RecordArray.Type
    types.arrays.append((id, array))
    return array
  }

  /// Returns the column name passed to the strategies: the key, as the record spells it.
  private func name(of key: some CodingKey, at index: Int, in row: Row) -> String {
    indexes == nil ? key.stringValue : row.columns.names[index]
  }

  /// Returns the decoding method of a type in a column. The record's strategies are queried once per run.
  @inline(__always)
  func reading(of type: Any.Type, at index: Int, for key: some CodingKey, in row: Row) -> ColumnReading {
    let id = ObjectIdentifier(type)
    if let known = types.readings[index], known.type == id { return known.reading }
    let reading = ColumnReading(of: type, in: recordType, name: name(of: key, at: index, in: row))
    types.readings[index] = (id, reading)
    types.dependOnStrategies = true
    return reading
  }
}

/// The decoding method of a type.
enum ColumnReading {
  /// Decodes a date with the strategy of the record.
  case date(DatabaseDateDecodingStrategy)

  /// Decodes data with the strategy of the record.
  case data(DatabaseDataDecodingStrategy)

  /// Decodes nil, or the wrapped type.
  case optional(any OptionalDecodable.Type)

  /// Decodes a database value.
  case value(any DatabaseValueConvertible.Type)

  /// Uses the `Decodable` implementation of the type, from a single value or from JSON.
  case decoding

  /// - Parameter name: The column name passed to the strategies, as the record spells it.
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

/// Casts a value between two generic names of one type. The compiler cannot see that the types are equal.
@inline(__always)
func sameValue<Value, Same>(_ value: Value, as type: Same.Type) -> Same {
  assert(Value.self == type)
  return unsafeBitCast(value, to: type)
}
