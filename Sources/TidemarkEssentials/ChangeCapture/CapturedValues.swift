/// The values of captured rows: numbers in a list, and texts and blobs one after another in memory of their own.
///
/// This takes no memory allocation for each text, and copies nothing that a subscriber does not use. Texts are stored
/// as they are, even if they are not UTF-8.
///
/// Invariant: the bytes of a row lie behind the bytes of the rows before it. Only the new value of an updated row can
/// share bytes: with its old value.
struct CapturedValues: Sendable {
  /// The types of values. The numbers are part of the encoding of changes: see ``ByteWriter``.
  enum ValueType: UInt8 {
    case null = 0
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
  }

  /// A value, or the place of its bytes.
  struct Value: Equatable {
    /// An integer, the bits of a floating-point number, or the position of the first byte.
    var bits: UInt64

    /// The number of bytes, and the type in the lowest three bits.
    private let form: UInt64

    static let null = Value(.null, 0)

    init(_ type: ValueType, _ bits: UInt64, length: Int = 0) {
      (self.bits, form) = (bits, UInt64(length) << 3 | UInt64(type.rawValue))
    }

    var type: ValueType { ValueType(rawValue: UInt8(truncatingIfNeeded: form & 7)) ?? .null }
    var length: Int { Int(form >> 3) }

    /// Whether the value is a text or a blob.
    var hasBytes: Bool { form & 7 >= ValueType.text.rawValue }

    /// The bytes of a text or a blob.
    fileprivate var range: Range<Int> { Int(bits)..<Int(bits) + length }
  }

  private var values: [Value] = []
  private var bytes: [UInt8] = []

  var count: Int { values.count }
  var isEmpty: Bool { values.isEmpty }

  /// The number of bytes of texts and blobs.
  var byteCount: Int { bytes.count }

  /// Whether little memory is reserved for more values.
  var isCompact: Bool {
    values.capacity <= max(64, 2 * values.count) && bytes.capacity <= max(1024, 2 * bytes.count)
  }

  // MARK: - Adding

  /// Appends values, which are NULL unless a closure sets them.
  ///
  /// - Parameter body: Sets values in their order.
  @inline(__always)
  mutating func append<Result>(_ count: Int, _ body: (inout NewValues) -> Result) -> Result {
    let start = values.count
    values.append(contentsOf: repeatElement(.null, count: count))
    var new = NewValues()
    // Without another owner, changes in place are quicker.
    swap(&new.bytes, &bytes)
    defer { swap(&new.bytes, &bytes) }
    return values.withUnsafeMutableBufferPointer { values in
      new.values = UnsafeMutableBufferPointer(rebasing: values[start...])
      return body(&new)
    }
  }

  /// Appends the last values once more. They share the bytes.
  mutating func appendCopies(ofLast count: Int) { values.append(contentsOf: Array(values.suffix(count))) }

  /// Values that are being added. They are NULL until they are set.
  struct NewValues {
    fileprivate var values = UnsafeMutableBufferPointer<Value>(start: nil, count: 0)
    fileprivate var bytes: [UInt8] = []

    @inline(__always)
    mutating func set(_ value: BorrowedValue, at index: Int) {
      switch value {
      case .null: break
      case .integer(let integer): values[index] = Value(.integer, UInt64(bitPattern: integer))
      case .real(let double): values[index] = Value(.real, double.bitPattern)
      case .text(let content): set(.text, content, at: index)
      case .blob(let content): set(.blob, content, at: index)
      }
    }

    /// Makes a value equal to another one, and share its bytes.
    @inline(__always)
    mutating func set(sameAs other: Int, at index: Int) { values[index] = values[other] }

    private mutating func set(_ type: ValueType, _ content: UnsafeRawBufferPointer, at index: Int) {
      values[index] = Value(type, UInt64(bytes.count), length: content.count)
      bytes.append(contentsOf: content)
    }
  }

  // MARK: - Removing

  /// Removes all values after a position.
  mutating func cut(to count: Int, byteCount: Int) {
    if count < values.count { values.removeSubrange(count...) }
    if byteCount < bytes.count { bytes.removeSubrange(byteCount...) }
  }

  /// Removes all values, so that the next ones can use their memory.
  mutating func removeAllForReuse() {
    values.removeAllForReuse(smallCapacity: 8_192)
    bytes.removeAllForReuse(smallCapacity: 65_536)
  }

  // MARK: - Reading

  subscript(index: Int) -> DatabaseValue { withContent { $0[index] } }

  /// The values in their stored form. They are valid during the call that passes them.
  struct Content {
    private let values: UnsafeBufferPointer<Value>
    private let bytes: UnsafeRawBufferPointer

    fileprivate init(_ values: UnsafeBufferPointer<Value>, _ bytes: UnsafeRawBufferPointer) {
      (self.values, self.bytes) = (values, bytes)
    }

    /// The number of bytes of a text or blob; zero for other values.
    func length(at index: Int) -> Int { values[index].length }

    @inline(__always)
    func value(at index: Int) -> BorrowedValue {
      let value = values[index]
      return switch value.type {
      case .null: .null
      case .integer: .integer(Int64(bitPattern: value.bits))
      case .real: .real(Double(bitPattern: value.bits))
      case .text: .text(UnsafeRawBufferPointer(rebasing: bytes[value.range]))
      case .blob: .blob(UnsafeRawBufferPointer(rebasing: bytes[value.range]))
      }
    }

    subscript(index: Int) -> DatabaseValue { DatabaseValue(copying: value(at: index)) }

    /// Whether two values are the same number, or share their bytes: values that an update has not changed do.
    func areStoredOnce(_ first: Int, _ second: Int) -> Bool { values[first] == values[second] }

    /// Whether two values have the same storage class and the same bytes.
    func areSame(_ first: Int, _ second: Int) -> Bool {
      // Usually, unchanged values share their bytes.
      values[first] == values[second] || value(at: first).hasSameBytes(as: value(at: second))
    }
  }

  func withContent<Result>(_ body: (Content) throws -> Result) rethrows -> Result {
    try values.withUnsafeBufferPointer { values in
      try bytes.withUnsafeBytes { bytes in try body(Content(values, bytes)) }
    }
  }

  // MARK: - Parts

  /// The number of bytes of all values up to a position, if it is known for an earlier one.
  func byteCount(upTo end: Int, from start: Int, _ byteCount: Int) -> Int {
    values[start..<end].reduce(byteCount) { $1.hasBytes ? max($0, $1.range.upperBound) : $0 }
  }

  /// A copy of some values, which share no bytes with others.
  func part(_ range: Range<Int>, bytes byteRange: Range<Int>) -> CapturedValues {
    var part = CapturedValues()
    part.values = values[range].map { value in
      var value = value
      if value.hasBytes { value.bits -= UInt64(byteRange.lowerBound) }
      return value
    }
    // An array of the whole range would share the memory, with all that is reserved.
    part.bytes = bytes.withUnsafeBytes { Array($0[byteRange]) }
    return part
  }

  /// A copy without reserved memory.
  func copy() -> CapturedValues { part(0..<count, bytes: 0..<byteCount) }

  /// Appends their memory, which only this process can read.
  func append(to file: inout [UInt8]) {
    values.withUnsafeBytes { file.append(contentsOf: $0) }
    file.append(contentsOf: bytes)
  }

  init() {}

  /// Reads values from their memory.
  init(_ memory: UnsafeRawBufferPointer, count: Int, byteCount: Int) {
    values = Array(unsafeUninitializedCapacity: count) { buffer, initializedCount in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: memory[..<(count * MemoryLayout<Value>.stride)]))
      initializedCount = count
    }
    bytes = Array(memory[(count * MemoryLayout<Value>.stride)...].prefix(byteCount))
  }
}
