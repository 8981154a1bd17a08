import Foundation
import Testing

@testable import TidemarkCluster

@Suite struct LogEntryTests {
  private static let entry = LogEntry(after: .start, payload: Array("Hello".utf8))

  @Test func `an encoded entry decodes to the same entry`() throws {
    for count in [0, 1, 63, 64, 1_000] {
      let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let entry = LogEntry(after: Self.entry.position, payload: payload)
      #expect(try LogEntry(encoded: entry.encoded) == entry)
      #expect(entry.number == 2)
    }
  }

  @Test func `the encoding does not change`() throws {
    let id = try #require(UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff"))
    let entry = LogEntry(id: id, after: .start, payload: [1, 2, 3])
    let zeros = String(repeating: "00", count: 32)
    let fields = "01" + "0000000000000001" + zeros + "00112233445566778899aabbccddeeff" + "00000003" + "010203"
    #expect(entry.encoded.map { String(format: "%02x", $0) }.joined() == fields + entry.digest.description)
    #expect(entry.digest.description == "07d919b97e3b881c18a6624a7e7e92967f3a84a70c75551fd7a3cdc2b5d886f3")
  }

  @Test func `a changed byte is detected`() {
    let bytes = Self.entry.encoded
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      #expect(throws: LogError.self, "byte \(index)") { try LogEntry(encoded: changed) }
    }
  }

  @Test func `a truncated or longer encoding is refused`() {
    let bytes = Self.entry.encoded
    for count in 0..<bytes.count {
      #expect(throws: LogError.self) { try LogEntry(encoded: Array(bytes.prefix(count))) }
    }
    #expect(throws: LogError.self) { try LogEntry(encoded: bytes + [0]) }
  }

  @Test func `any bytes decode to an entry or an error`() throws {
    let seed = UInt64.random(in: 0...(.max))
    var random = LogRandom(seed: seed)
    for _ in 0..<20_000 {
      var bytes = Self.entry.encoded
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in .random(in: 0...255, using: &random) }
      case 1: bytes = Array(bytes.prefix(.random(in: 0...bytes.count, using: &random)))
      case 2: bytes.insert(.random(in: 0...255, using: &random), at: .random(in: 0...bytes.count, using: &random))
      default:
        for _ in 0..<3 {
          bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
      }
      guard let decoded = try? LogEntry(encoded: bytes) else { continue }
      #expect(decoded.encoded == bytes, "seed \(seed)")
    }
  }

  @Test func `the greatest length of a payload does not trap`() {
    var bytes = Self.entry.encoded
    bytes.replaceSubrange(57..<61, with: [255, 255, 255, 255])
    #expect(throws: LogError.self) { try LogEntry(encoded: bytes) }
  }

  @Test func `an entry with number zero is refused although its digest fits`() {
    var bytes = [1] + UInt64(0).bigEndianBytes + Array(repeating: UInt8(0), count: 32 + 16 + 4)
    bytes += SHA256.digest(of: bytes)
    #expect(throws: LogError.corrupted("an entry has the number 0")) { try LogEntry(encoded: bytes) }
  }

  @Test func `the last number decodes`() throws {
    let predecessor = LogPosition(number: .max - 1, digest: .zero)
    let entry = LogEntry(after: predecessor, payload: [])
    #expect(try LogEntry(encoded: entry.encoded).number == .max)
  }

  @Test func `a position has forty bytes`() throws {
    let position = Self.entry.position
    #expect(position.encoded.count == 40)
    #expect(try LogPosition(encoded: position.encoded) == position)
    for count in 0..<40 {
      #expect(throws: LogError.self) { try LogPosition(encoded: position.encoded.prefix(count)) }
    }
  }

  @Test func `a digest is created from its description, and from no other text`() {
    let digest = Self.entry.digest
    let text = digest.description
    #expect(LogDigest(text) == digest)
    #expect(LogDigest(text.uppercased()) == digest)
    for other in ["", String(text.dropLast()), text + "0", "g" + text.dropFirst(), "é" + text.dropFirst(2)] {
      #expect(LogDigest(other) == nil)
    }
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
    ),
  ])
  func `the digest is SHA-256`(message: String, digest: String) {
    #expect(LogDigest(of: Array(message.utf8)).description == digest)
  }

  @Test func `the digest does not depend on the pieces of a message`() {
    let seed = UInt64.random(in: 0...(.max))
    var random = LogRandom(seed: seed)
    for _ in 0..<200 {
      let message = (0..<Int.random(in: 0..<500, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
      var hash = SHA256()
      var rest = message[...]
      while !rest.isEmpty {
        let piece = rest.prefix(.random(in: 0...150, using: &random))
        piece.withUnsafeBytes { hash.update($0) }
        #expect(hash.digest() == hash.digest())
        rest = rest.dropFirst(piece.count)
      }
      #expect(hash.digest() == SHA256.digest(of: message), "seed \(seed)")
    }
  }
}
