import Foundation
import Testing

@testable import TidemarkEssentials

@Suite struct ChangesetCodingTests {
  private static let isFull = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1"

  private func randomChangeset(_ random: inout RandomChanges) -> Changeset {
    let elements = random.next().elements.filter { element in
      switch element {
      case .unknownRows, .notification: false
      case .row, .schema, .counter, .userVersion: true
      }
    }
    let former: [Changeset.Element] = [
      .counter(databaseName: "main", tableName: "t", value: nil), .userVersion(databaseName: "temp", value: -3),
    ]
    return Changeset(known: elements, formerNumbers: Array(former.prefix(elements.count % 3)))
  }

  @Test func `a changeset is decoded as it was encoded`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RandomChanges(random: SeededRandom(seed: seed))
    for _ in 0..<(Self.isFull ? 100_000 : 500) {
      let changeset = randomChangeset(&random)
      #expect(try Changeset(decoding: changeset.encoded()) == changeset, "seed \(seed)")
    }
  }

  /// Whatever is decoded is encoded as the same bytes again.
  @Test func `mutated bytes are rejected, or are the bytes of another changeset`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RandomChanges(random: SeededRandom(seed: seed))
    var (accepted, rejected) = (0, 0)
    for _ in 0..<(Self.isFull ? 1_000_000 : 5_000) {
      var bytes = randomChangeset(&random).encoded()
      for _ in 0..<Int.random(in: 1...4, using: &random.random) {
        let position = Int.random(in: 0..<bytes.count, using: &random.random)
        switch Int.random(in: 0..<4, using: &random.random) {
        case 0: bytes.remove(at: position)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random.random), at: position)
        case 2: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random.random)
        default: bytes.removeSubrange(position...)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do {
        let changeset = try Changeset(decoding: bytes)
        #expect(changeset.encoded() == bytes, "seed \(seed)")
        _ = changeset.net
        accepted += 1
      } catch is TransactionChanges.DecodingError {
        rejected += 1
      }
    }
    #expect(accepted > 0 && rejected > 0)
  }

  @Test func `a transaction is not decoded as a changeset`() {
    let bytes = TransactionChanges(microsecondsSince1970: 0).encoded()
    #expect(throws: TransactionChanges.DecodingError.self) { try Changeset(decoding: bytes) }
  }

  @Test func `a changeset has neither a version nor a time`() {
    let part = TransactionChanges(microsecondsSince1970: 0).encoded()
    let timed = TransactionChanges(microsecondsSince1970: 1).encoded()
    let bytes = [0x81, UInt8(part.count)] + part + timed
    let error = #expect(throws: TransactionChanges.DecodingError.self) { try Changeset(decoding: bytes) }
    #expect(error?.message == "a changeset has no version and no time")
  }
}
