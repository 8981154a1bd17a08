import Foundation
import Testing

@testable import TidemarkEssentials

@Suite struct ChangesetCodingTests {
  private static let rounds = ProcessInfo.processInfo.environment["TIDEMARK_STRESS"] == "1" ? 100_000 : 500

  @Test func `a changeset is decoded as it was encoded`() throws {
    var random = RandomChanges(random: SeededRandom())
    for _ in 0..<Self.rounds {
      let changeset = random.nextChangeset()
      #expect(try Changeset(decoding: changeset.encoded()) == changeset)
    }
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
