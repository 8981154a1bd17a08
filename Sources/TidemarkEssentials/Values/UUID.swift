import CSQLite
public import FoundationEssentials

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
  /// The UUID as a BLOB of 16 bytes.
  public var databaseValue: DatabaseValue {
    DatabaseValue(.blob(withUnsafeBytes(of: uuid) { Data($0) }))
  }

  /// Implementation detail; do not call it.
  public func _append(to arguments: inout StatementArguments) {
    withUnsafeBytes(of: uuid) { arguments.values.append(blob: $0) }
  }

  /// Converts a BLOB of 16 bytes, or a TEXT such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F` in upper or lower case.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
    switch dbValue.storage {
    case .blob(let data): data.withUnsafeBytes { UUID(bytes: $0) }
    case .string(let text): text.withUTF8Bytes { UUID(text: $0) }
    case .null, .int64, .double: nil
    }
  }

  /// Returns the UUID in a column; nil if it cannot be converted.
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> UUID? {
    UUID(sqliteStatement: sqliteStatement, index: index)
  }

  /// Converts a BLOB of 16 bytes or a TEXT, like `fromDatabaseValue`.
  public init?(sqliteStatement: SQLiteStatement, index: CInt) {
    let value = ColumnValue(sqliteStatement, index)
    switch value.type {
    case SQLITE_BLOB:
      self.init(bytes: value.blob)
    case SQLITE_TEXT:
      guard let text = value.text else { return nil }
      self.init(text: text)
    default:
      return nil
    }
  }

  /// Binds the bytes.
  public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
    withUnsafeBytes(of: uuid) {
      sqlite3_bind_blob(sqliteStatement, index, $0.baseAddress, CInt($0.count), tidemark_transient())
    }
  }
}

extension UUID {
  @inline(__always)
  fileprivate init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  /// Parses 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, separated by hyphens.
  ///
  /// Foundation's parser is ten times slower.
  @inline(__always)
  init?(text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36, let characters = text.baseAddress else { return nil }
    let hyphen = UInt8(ascii: "-")
    guard characters[8] == hyphen, characters[13] == hyphen, characters[18] == hyphen, characters[23] == hyphen
    else { return nil }
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    // Invalid digits have a value above 15. One test at the end detects them.
    var seen: UInt8 = 0
    withUnsafeMutableBytes(of: &uuid) { bytes in
      var position = 0
      for index in 0..<16 {
        if index == 4 || index == 6 || index == 8 || index == 10 { position &+= 1 }
        let high = hexadecimalDigit(characters[position])
        let low = hexadecimalDigit(characters[position &+ 1])
        position &+= 2
        seen |= high | low
        bytes[index] = high &<< 4 | low
      }
    }
    guard seen < 16 else { return nil }
    self.init(uuid: uuid)
  }
}

/// Returns the value of a hexadecimal digit, or a number above 15.
@inline(__always)
private func hexadecimalDigit(_ character: UInt8) -> UInt8 {
  let decimal = character &- UInt8(ascii: "0")
  let letter = (character | 0x20) &- UInt8(ascii: "a")
  return decimal < 10 ? decimal : letter < 6 ? letter &+ 10 : 0xff
}
