import CSQLite
public import FoundationEssentials

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
  /// A BLOB of 16 bytes.
  public var databaseValue: DatabaseValue {
    DatabaseValue(.blob(withUnsafeBytes(of: uuid) { Data($0) }))
  }

  /// From a BLOB of 16 bytes, or a TEXT such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, in any case.
  public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
    switch dbValue.storage {
    case .blob(let data): data.withUnsafeBytes { UUID(bytes: $0) }
    case .string(let text): text.withUTF8Bytes { UUID(text: $0) }
    case .null, .int64, .double: nil
    }
  }

  /// The value in a column, or nil when it is none.
  public static func fromStatement(_ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt) -> UUID? {
    UUID(sqliteStatement: sqliteStatement, index: index)
  }

  /// From a BLOB of 16 bytes, or a TEXT, as `fromDatabaseValue` does.
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

  /// From 32 hexadecimal digits of any case, in groups of 8, 4, 4, 4 and 12 separated by hyphens.
  ///
  /// Foundation does the same, ten times slower.
  @inline(__always)
  init?(text: UnsafeBufferPointer<UInt8>) {
    guard text.count == 36, let characters = text.baseAddress else { return nil }
    let hyphen = UInt8(ascii: "-")
    guard characters[8] == hyphen, characters[13] == hyphen, characters[18] == hyphen, characters[23] == hyphen
    else { return nil }
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    // A value above 15 stands for a character that is no digit; it is looked for once, at the end.
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

/// The value of a hexadecimal digit, or a number above 15.
@inline(__always)
private func hexadecimalDigit(_ character: UInt8) -> UInt8 {
  let decimal = character &- UInt8(ascii: "0")
  let letter = (character | 0x20) &- UInt8(ascii: "a")
  return decimal < 10 ? decimal : letter < 6 ? letter &+ 10 : 0xff
}
