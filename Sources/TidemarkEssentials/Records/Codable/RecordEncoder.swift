import FoundationEssentials

/// Encodes an `Encodable` record into columns named after its coding keys.
///
/// | Property | Stored value |
/// | --- | --- |
/// | nil | NULL |
/// | `Date`, `Data`, `UUID` | the result of the record's strategy |
/// | a value (`DatabaseValueConvertible`) | its database value |
/// | a type that encodes a single value | that value |
/// | anything else: structures, arrays, dictionaries | JSON |
///
/// Super encoders encode into the same columns.
///
/// An encoder encodes one record after the other. Creating one, and its keyed container, takes longer than encoding a
/// small record (Benchmarks: `insert: Codable record`).
final class RecordEncoder: Encoder {
  private struct State {
    var recordType: any EncodableRecord.Type
    var columnStrategy: DatabaseColumnEncodingStrategy

    /// The container of the record, while it is encoded.
    var container = PersistenceContainer()

    /// The last keyed container, and the type of its keys. It refers to the encoder; `Reusable` ends this cycle.
    var keyed: (key: ObjectIdentifier, container: AnyObject)?
  }

  /// The owner of an encoder. It is moved from the plan of the record type to the container of a record, and back.
  ///
  /// It is only used where nothing else refers to it.
  final class Reusable: @unchecked Sendable {
    fileprivate let encoder: RecordEncoder

    fileprivate init(_ encoder: RecordEncoder) { self.encoder = encoder }

    deinit { encoder.state.keyed = nil }
  }

  @exclusivity(unchecked) private var state: State

  private var recordType: any EncodableRecord.Type { state.recordType }

  let codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { recordType.encodingUserInfo }

  private init(_ recordType: any EncodableRecord.Type) {
    state = State(recordType: recordType, columnStrategy: recordType.databaseColumnEncodingStrategy)
  }

  static func encode(_ record: some EncodableRecord & Encodable, to container: inout PersistenceContainer) throws {
    let recordType = type(of: record)
    let reusable = container.takeEncoder() ?? Reusable(RecordEncoder(recordType))
    let encoder = reusable.encoder
    encoder.state.recordType = recordType
    encoder.state.columnStrategy = recordType.databaseColumnEncodingStrategy
    // The container is moved: if it were shared, each write would copy all values.
    swap(&container, &encoder.state.container)
    defer {
      swap(&container, &encoder.state.container)
      container.encoder = reusable
    }
    try record.encode(to: encoder)
  }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    let key = ObjectIdentifier(type)
    if let keyed = state.keyed, keyed.key == key {
      return unsafeDowncast(keyed.container, to: ContainerBox<Key>.self).container
    }
    let container = KeyedEncodingContainer(RecordEncodingContainer<Key>(encoder: self))
    state.keyed = (key, ContainerBox(container))
    return container
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    refusingContainer(NoKey.self, "unkeyed encoding is not supported: a record has one key per column")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SoleValueContainer(encoder: self) }

  func refusingContainer<Key: CodingKey>(
    _: Key.Type, at codingPath: [any CodingKey] = [], _ sentence: String
  ) -> RefusingContainer<Key> {
    RefusingContainer(encoder: self) { [recordType] in
      let context = EncodingError.Context(codingPath: codingPath, debugDescription: sentence)
      return EncodingError.invalidValue(recordType, context)
    }
  }

  // MARK: Values

  /// Encodes another record into the columns of this record.
  func encode(_ record: some EncodableRecord) throws { try record.encode(to: &state.container) }

  @inline(__always)
  func store(_ value: some DatabaseValueConvertible, for key: some CodingKey) {
    state.container.store(value, in: state.columnStrategy.column(for: key))
  }

  func storeNull(for key: some CodingKey) { state.container.storeNull(in: state.columnStrategy.column(for: key)) }

  func encode<Value: Encodable>(_ value: Value, for key: some CodingKey) throws {
    let column = state.columnStrategy.column(for: key)
    // The text of a date is written in place, and data is copied once (Benchmarks: `insert: Codable record`).
    if Value.self == Date.self, case .deferredToDate = recordType.databaseDateEncodingStrategy(for: column) {
      let date = unsafeBitCast(value, to: Date.self)
      if date.millisecondsOfSQLite != nil { return state.container.store(date, in: column) }
    } else if Value.self == Data.self, case .deferredToData = recordType.databaseDataEncodingStrategy(for: column) {
      return state.container.store(unsafeBitCast(value, to: Data.self), in: column)
    }
    state.container.store(try databaseValue(of: value, for: key, in: column), in: column)
  }

  private func databaseValue<Value: Encodable>(
    of value: Value, for key: some CodingKey, in column: String
  ) throws -> DatabaseValue {
    if let databaseValue = try databaseValue(of: value, at: key, in: column) { return databaseValue }
    let encoder = SingleValueEncoder(codingPath: [key], userInfo: userInfo) { value in
      try self.databaseValue(of: value, at: key, in: column)
    }
    do {
      try value.encode(to: encoder)
    } catch {
      guard encoder.needsJSON else { throw error }
    }
    if !encoder.needsJSON, let databaseValue = encoder.databaseValue { return databaseValue }
    let json = try recordType.databaseJSONEncoder(for: key.stringValue).encode(value)
    return DatabaseValue(.string(String(decoding: json, as: UTF8.self)))
  }

  /// Returns the database value stored in a column, or nil if the type does not have one.
  private func databaseValue<Value: Encodable>(
    of value: Value, at key: any CodingKey, in column: String
  ) throws -> DatabaseValue? {
    // Compare metatypes first: a dynamic cast costs more than the rest of this function.
    if Value.self == Date.self { return try databaseValue(of: unsafeBitCast(value, to: Date.self), key, column) }
    if Value.self == UUID.self { return databaseValue(of: unsafeBitCast(value, to: UUID.self), column) }
    if Value.self == Data.self { return try databaseValue(of: unsafeBitCast(value, to: Data.self), key, column) }
    switch value {
    case let optional as any OptionalEncodable:
      return try optional.content.map { try databaseValue(of: $0, at: key, in: column) } ?? .null
    case let convertible as any DatabaseValueConvertible: return convertible.databaseValue
    default: return nil
    }
  }

  private func databaseValue(of date: Date, _ key: any CodingKey, _ column: String) throws -> DatabaseValue {
    try recordType.databaseDateEncodingStrategy(for: column).databaseValue(of: date, at: [key])
  }

  private func databaseValue(of data: Data, _ key: any CodingKey, _ column: String) throws -> DatabaseValue {
    try recordType.databaseDataEncodingStrategy(for: column).databaseValue(of: data, at: [key])
  }

  private func databaseValue(of uuid: UUID, _ column: String) -> DatabaseValue {
    recordType.databaseUUIDEncodingStrategy(for: column).databaseValue(of: uuid)
  }
}

extension EncodingError {
  /// Returns the error of a value that cannot be stored, with the reason.
  static func refusing(_ value: Any, _ reason: String, _ codingPath: [any CodingKey]) -> EncodingError {
    .invalidValue(value, Context(codingPath: codingPath, debugDescription: reason))
  }
}

/// Gives access to an optional of statically unknown type.
private protocol OptionalEncodable {
  var content: (any Encodable)? { get }
}

extension Optional: OptionalEncodable where Wrapped: Encodable {
  var content: (any Encodable)? { self }
}

/// A reference to a container.
private final class ContainerBox<Key: CodingKey> {
  let container: KeyedEncodingContainer<Key>

  init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
}

// MARK: - One value

/// The single value container of a record that forwards to another `Encodable` type.
private struct SoleValueContainer: SingleValueEncodingContainer {
  let encoder: RecordEncoder

  var codingPath: [any CodingKey] { [] }

  func encodeNil() throws { try refuse(DatabaseValue.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    if let record = value as? any EncodableRecord { return try encoder.encode(record) }
    if value is any DatabaseValueConvertible { try refuse(value) }
    try value.encode(to: encoder)
  }

  // The default implementations of these types call this function recursively.
  func encode(_ value: Int128) throws { try refuse(value) }
  func encode(_ value: UInt128) throws { try refuse(value) }

  private func refuse(_ value: Any) throws {
    throw EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: [],
        debugDescription: "single value encoding is not supported: a record has one key per column"))
  }
}
