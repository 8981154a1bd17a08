import Testing

@testable import TidemarkEssentials

/// The digest of the change feed, without a database.
@Suite struct ChangeDigestTests {
  private let key = (0..<16).map { UInt8($0) }

  private func digest(_ bytes: [UInt8]) throws -> [UInt8] {
    let key = try #require(key.withUnsafeBytes { ChangeDigest($0) })
    return bytes.withUnsafeBytes { ChangeDigest(after: key, $0).withBytes { Array($0) } }
  }

  @Test func `it is SipHash with 128 bits`() throws {
    // The first vectors that its authors have published.
    #expect(
      try digest([]) == [
        0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93,
      ])
    #expect(
      try digest([0]) == [
        0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc, 0x45,
      ])
  }

  @Test func `each byte, the number and the key matter`() throws {
    let key = ChangeDigest(low: 1, high: 2)
    func digest(_ key: ChangeDigest, _ number: UInt64, _ bytes: [UInt8]) -> ChangeDigest {
      bytes.withUnsafeBytes { ChangeDigest(after: key, number: number, $0) }
    }
    let bytes = (0..<21).map { UInt8($0) }
    var digests: Set = [digest(key, 1, bytes), digest(key, 2, bytes), digest(ChangeDigest(low: 1, high: 3), 1, bytes)]
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      digests.insert(digest(key, 1, changed))
      digests.insert(digest(key, 1, Array(bytes[..<index])))
    }
    #expect(digests.count == 3 + 2 * bytes.count)
  }
}
