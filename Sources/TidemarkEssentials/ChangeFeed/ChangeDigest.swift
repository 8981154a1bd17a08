/// A digest of 128 bits: SipHash-2-4, whose key is the digest of the predecessor.
///
/// It identifies the history that has led to an entry of the change feed. It does not protect against forgery.
struct ChangeDigest: Hashable, Sendable {
  let low: UInt64
  let high: UInt64

  init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

  /// The digest of bytes that follow a predecessor.
  ///
  /// - Parameter number: Eight bytes that precede the others, if it is not nil.
  init(after key: ChangeDigest, number: UInt64? = nil, _ bytes: UnsafeRawBufferPointer) {
    var state = SipHash(key)
    if let number { state.compress(number) }
    let wordCount = bytes.count / 8
    for index in 0..<wordCount {
      state.compress(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)))
    }
    var last = UInt64(truncatingIfNeeded: bytes.count + (number == nil ? 0 : 8)) << 56
    for index in 8 * wordCount..<bytes.count { last |= UInt64(bytes[index]) << UInt64(8 * (index % 8)) }
    state.compress(last)
    self = state.finish()
  }

  static func random() -> ChangeDigest { ChangeDigest(low: .random(in: 1 ... .max), high: .random(in: 0 ... .max)) }
}

/// SipHash with two rounds per word and four at the end, and a result of 128 bits.
private struct SipHash {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64

  init(_ key: ChangeDigest) {
    v0 = key.low ^ 0x736f_6d65_7073_6575
    v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xee
    v2 = key.low ^ 0x6c79_6765_6e65_7261
    v3 = key.high ^ 0x7465_6462_7974_6573
  }

  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 &+= v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 &+= v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 &+= v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }

  @inline(__always)
  mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  mutating func finish() -> ChangeDigest {
    v2 ^= 0xee
    for _ in 0..<4 { round() }
    let low = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    for _ in 0..<4 { round() }
    return ChangeDigest(low: low, high: v0 ^ v1 ^ v2 ^ v3)
  }
}
