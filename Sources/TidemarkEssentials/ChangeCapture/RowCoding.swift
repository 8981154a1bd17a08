import FoundationEssentials

/// The form of rows in the temporary file of a transaction. Only the process that has written it reads it.
///
/// A row is the memory of its record, followed by its values: a byte for the type, and the content. A new value that
/// equals the old one is only a type.
enum RowCoding {
  private enum ValueType: UInt8 {
    case null
    case integer
    case real
    case text
    case blob
    case same
  }

  static func append(_ record: ChangeRecord, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: record) { bytes.append(contentsOf: $0) }
  }

  /// - Returns: The number of bytes of texts and blobs.
  static func append(
    _ values: [DatabaseValue], from start: Int, count: Int, isUpdate: Bool, to bytes: inout [UInt8]
  ) -> Int {
    var byteCount = 0
    for index in start..<start + count {
      let value = values[index]
      switch value.storage {
      case .string(let text): byteCount += text.utf8.count
      case .blob(let data): byteCount += data.count
      case .null, .int64, .double: break
      }
      if isUpdate, index >= start + count / 2, value.hasSameBytes(as: values[index - count / 2]) {
        bytes.append(ValueType.same.rawValue)
      } else {
        append(value, to: &bytes)
      }
    }
    return byteCount
  }

  private static func append(_ value: DatabaseValue, to bytes: inout [UInt8]) {
    func append(_ type: ValueType, _ bits: UInt64) {
      bytes.append(type.rawValue)
      withUnsafeBytes(of: bits) { bytes.append(contentsOf: $0) }
    }
    switch value.storage {
    case .null: bytes.append(ValueType.null.rawValue)
    case .int64(let integer): append(.integer, UInt64(bitPattern: integer))
    case .double(let double): append(.real, double.bitPattern)
    case .string(let text):
      append(.text, UInt64(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
    case .blob(let data):
      append(.blob, UInt64(data.count))
      bytes.append(contentsOf: data)
    }
  }

  /// Reads rows in their order.
  struct Reader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func record() -> ChangeRecord {
      defer { position += MemoryLayout<ChangeRecord>.size }
      return bytes.loadUnaligned(fromByteOffset: position, as: ChangeRecord.self)
    }

    mutating func readValues(_ count: Int, isUpdate: Bool, into values: inout [DatabaseValue]) {
      let distance = isUpdate ? count / 2 : 0
      for _ in 0..<count { values.append(value(sameAs: distance, values)) }
    }

    private mutating func value(sameAs distance: Int, _ values: [DatabaseValue]) -> DatabaseValue {
      defer { position += 1 }
      switch ValueType(rawValue: bytes[position]) {
      case .null: return .null
      case .integer: return DatabaseValue(.int64(Int64(bitPattern: bits())))
      case .real: return DatabaseValue(.double(Double(bitPattern: bits())))
      case .text: return DatabaseValue(.string(String(decoding: content(), as: UTF8.self)))
      case .blob: return DatabaseValue(.blob(Data(content())))
      case .same: return values[values.count - distance]
      case nil: preconditionFailure("The file of the rows of a transaction was modified")
      }
    }

    private mutating func bits() -> UInt64 {
      defer { position += 8 }
      return bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt64.self)
    }

    private mutating func content() -> UnsafeRawBufferPointer {
      let count = Int(bits())
      let start = position + 1
      position += count
      return UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }
  }
}
