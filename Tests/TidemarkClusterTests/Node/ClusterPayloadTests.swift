import Foundation
import Testing
import TidemarkEssentials

@testable import TidemarkCluster

/// The encoding of what an entry contains.
@Suite struct ClusterPayloadTests {
  private static let author = ClusterPayload.Author(node: "Zürich", incarnation: 7, id: UUID())

  private static let transaction = ClusterPayload.Transaction(
    id: UUID(),
    changes: TransactionChanges(
      microsecondsSince1970: 3, elements: [.notification(channel: "a", payload: "b")]))

  /// A payload of each kind.
  private static let payloads = [
    .transactions([]), .transactions([transaction, transaction]), .part(group: UUID(), index: 3, bytes: [1, 2]),
    .part(group: UUID(), index: 0, bytes: []), .end(group: UUID(), partCount: 4, digest: LogDigest(of: [5])),
    .snapshot(id: UUID()),
  ].map { ClusterPayload(author: author, content: $0) }

  @Test(arguments: payloads)
  func `an encoded payload decodes to the same payload`(payload: ClusterPayload) throws {
    #expect(try ClusterPayload(decoding: payload.encoded) == payload)
  }

  @Test func `transactions that are encoded already have the same payload`() {
    let payload = ClusterPayload(author: Self.author, content: .transactions([Self.transaction]))
    let bytes = ClusterPayload.encoded([Self.transaction])
    #expect(ClusterPayload.payload(author: Self.author, transactions: bytes) == payload.encoded)
  }

  /// The bytes of a part are the rest of its payload, of any length.
  @Test(arguments: payloads)
  func `a truncated or longer payload is an error, or a part with other bytes`(payload: ClusterPayload) {
    let bytes = payload.encoded
    let others = (0..<bytes.count).map { Array(bytes.prefix($0)) } + [bytes + [0]]
    for other in others {
      let result = Result { () throws(ClusterError) in try ClusterPayload(decoding: other) }
      switch result {
      case .success(let decoded):
        guard case .part = decoded.content else {
          Issue.record("\(other.count) of \(bytes.count) bytes were decoded")
          continue
        }
        #expect(decoded.encoded == other)
      case .failure(.historyDiverged): break
      case .failure(let error): Issue.record("\(other.count) of \(bytes.count) bytes: \(error)")
      }
    }
  }

  @Test func `any bytes decode to a payload with these bytes or are an error`() {
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = LogRandom(seed: seed)
    for _ in 0..<20_000 {
      var bytes = Self.payloads.randomElement(using: &random)?.encoded ?? []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      // The encoding of changes has tests of its own.
      guard let decoded = try? ClusterPayload(decoding: bytes) else { continue }
      #expect(decoded.encoded.count == bytes.count, "seed \(seed)")
    }
  }

  @Test func `a later version is reported as such, and no version at all is an error`() {
    #expect(throws: ClusterError.unsupportedEntry(version: 2)) { try ClusterPayload(decoding: [2]) }
    #expect(throws: ClusterError.historyDiverged("an entry has the version 0")) { try ClusterPayload(decoding: [0]) }
    #expect(throws: ClusterError.historyDiverged("an entry is too short")) { try ClusterPayload(decoding: []) }
  }

  @Test func `a payload of the largest part is not larger than its overhead allows`() {
    let (bytes, overhead) = ([UInt8](repeating: 1, count: 100), ClusterPayload.overhead(Self.author))
    let contents: [ClusterPayload.Content] = [
      .part(group: UUID(), index: 0, bytes: bytes), .end(group: UUID(), partCount: 1, digest: .zero),
    ]
    for content in contents {
      #expect(ClusterPayload(author: Self.author, content: content).encoded.count <= bytes.count + overhead)
    }
    #expect(ClusterPayload.payload(author: Self.author, transactions: bytes).count <= bytes.count + overhead)
  }
}
