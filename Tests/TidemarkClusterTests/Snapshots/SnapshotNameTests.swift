import Foundation
import Testing

@testable import TidemarkCluster

@Suite struct SnapshotNameTests {
  private static let zeros = String(repeating: "0", count: 64)

  @Test func `a name has the number and the digest of a position`() {
    let position = LogPosition(number: 42, digest: .zero)
    #expect(SnapshotName.name(of: position) == "00000000000000000042-\(Self.zeros).snapshot")
  }

  @Test(arguments: [0, 1, 42, UInt64.max])
  func `a name leads to its position`(number: UInt64) {
    let position = LogPosition.sample(number)
    #expect(SnapshotName.position(named: SnapshotName.name(of: position)) == position)
  }

  @Test(arguments: [
    "", ".snapshot", "database.db", "42-\(zeros).snapshot", "00000000000000000042-\(zeros)",
    "00000000000000000042-\(zeros).snapshot2", "00000000000000000042-\(zeros)0.snapshot",
    "00000000000000000042-\(zeros.dropLast()).snapshot", "00000000000000000042-\(zeros.dropLast())g.snapshot",
    "00000000000000000042-\(zeros.dropLast())A.snapshot", "00000000000000000042--\(zeros).snapshot",
    "+0000000000000000042-\(zeros).snapshot", "99999999999999999999-\(zeros).snapshot",
    "00000000000000000042_\(zeros).snapshot", "٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٤٢-\(zeros).snapshot",
  ])
  func `other names are foreign`(name: String) {
    #expect(SnapshotName.position(named: name) == nil)
  }

  @Test func `an incomplete file has a name of its own, which contains the complete name`() {
    let names = (0..<2).map { _ in SnapshotName.partialName(of: "a.db") }
    #expect(names[0] != names[1])
    #expect(names.map { SnapshotName.completeName(ofPartial: $0) } == ["a.db", "a.db"])
    for name in [
      "a.db", "a.db.partial", "a.db-1.partial", ".partial", names[0].replacingOccurrences(of: "db-", with: ""),
    ] {
      #expect(SnapshotName.completeName(ofPartial: name) == nil, "\(name)")
    }
    #expect(SnapshotName.position(named: SnapshotName.partialName(of: SnapshotName.name(of: .start))) == nil)
  }
}
