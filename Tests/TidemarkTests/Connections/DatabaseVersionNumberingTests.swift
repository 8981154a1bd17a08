import Testing

@testable import TidemarkEssentials

/// Commit numbers increase across restarts of the log.
@Suite struct DatabaseVersionNumberingTests {
  /// A WAL-index header in memory: forty-eight bytes, some of which matter here.
  private static func header(commitCount: UInt32, frameCount: UInt32, logNumber: UInt32) -> WALIndexHeader {
    var words = [UInt32](repeating: 0, count: 12)
    words[2] = commitCount
    words[4] = frameCount
    words[8] = logNumber.bigEndian
    return words.withUnsafeBytes { $0.load(as: WALIndexHeader.self) }
  }

  @Test func versionsGrowWithCommits() {
    var numbering = DatabaseVersionNumbering()
    let numbers = (7...9).map { numbering.number(of: Self.header(commitCount: $0, frameCount: 10 * $0, logNumber: 5)) }
    #expect(numbers == [7, 8, 9])
  }

  @Test func versionsContinueAfterALogRestart() {
    var numbering = DatabaseVersionNumbering()
    let numbers = [
      Self.header(commitCount: 7, frameCount: 40, logNumber: 5),
      Self.header(commitCount: 7, frameCount: 0, logNumber: 6),
      Self.header(commitCount: 8, frameCount: 3, logNumber: 6),
    ].map { numbering.number(of: $0) }
    #expect(numbers == [7, 7, 8])
  }

  @Test(arguments: [(5, 30), (4, 90), (UInt32.max, 90)] as [(UInt32, UInt32)])
  func olderStatesKeepTheirLowerVersion(_ logNumber: UInt32, _ frameCount: UInt32) {
    var numbering = DatabaseVersionNumbering()
    let new = Self.header(commitCount: 9, frameCount: 40, logNumber: logNumber == .max ? 2 : 5)
    let old = Self.header(commitCount: 8, frameCount: frameCount, logNumber: logNumber)
    #expect([new, old, new].map { numbering.number(of: $0) } == [9, 8, 9])
  }

  @Test func versionsContinueAfterLogRecovery() {
    var numbering = DatabaseVersionNumbering()
    let numbers = [
      Self.header(commitCount: 70, frameCount: 40, logNumber: 5),
      Self.header(commitCount: 0, frameCount: 40, logNumber: 5),
      Self.header(commitCount: 1, frameCount: 42, logNumber: 5),
    ].map { numbering.number(of: $0) }
    #expect(numbers == [70, 71, 72])
  }
}
