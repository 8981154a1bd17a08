import Foundation
import Testing
import Tidemark

/// Reading bytes without a copy.
@Suite struct RowBytesTests {
  private static let sql = "SELECT x'0102' AS b, 'né' AS t, NULL AS n, x'' AS e, 300 AS i"

  @Test(arguments: ["live", "copied", "adapted"])
  func bytesAreReadByIndexNameAndColumn(kind: String) throws {
    func check(_ row: Row) throws {
      #expect(try row.withUnsafeData(atIndex: 0) { $0.map { Data($0) } } == Data([1, 2]))
      #expect(try row.withUnsafeData(named: "B") { $0.map { Data($0) } } == Data([1, 2]))
      #expect(try row.withUnsafeData(name: "b") { $0.map { Data($0) } } == Data([1, 2]))
      #expect(try row.withUnsafeData(at: Column("b")) { $0.map { Data($0) } } == Data([1, 2]))
      #expect(try row.withUnsafeData(named: "t") { $0.map { Data($0) } } == Data("né".utf8))
      #expect(try row.withUnsafeData(named: "n") { $0 } == nil)
      #expect(try row.withUnsafeData(named: "missing") { $0 } == nil)
      #expect(try row.withUnsafeData(at: Column("missing")) { $0 } == nil)
      #expect(try row.withUnsafeData(named: "e") { $0 } == Data())
    }
    let renamed = RenameColumnAdapter { $0 }
    switch kind {
    case "live": try withLiveRow(Self.sql, check)
    case "copied": try check(firstRow(Self.sql))
    default: try withLiveRow(Self.sql, adapter: renamed, check)
    }
  }

  @Test func numbersHaveTextBytesOnlyInLiveRows() throws {
    #expect(try withLiveRow(Self.sql) { try $0.withUnsafeData(named: "i") { $0.map { Data($0) } } } == Data("300".utf8))
    let copy = try firstRow(Self.sql)
    #expect(throws: RowDecodingError.self) { try copy.withUnsafeData(named: "i") { _ in } }
  }

  @Test func bytesAreNotCopied() throws {
    try withLiveRow("SELECT randomblob(1000) AS b") { row throws in
      func address() throws -> UnsafeRawPointer? {
        try row.withUnsafeData(named: "b") { $0?.withUnsafeBytes { $0.baseAddress } }
      }
      #expect(try address() == address())
      let copy: Data = row["b"]
      #expect(try copy.withUnsafeBytes { $0.baseAddress } != address())
      #expect(try row.withUnsafeData(named: "b") { $0 == copy })
    }
  }

  @Test func closureErrorsAreThrown() throws {
    #expect(throws: NoRow.self) {
      try withLiveRow(Self.sql) { try $0.withUnsafeData(atIndex: 0) { _ in throw NoRow() } }
    }
    #expect(throws: NoRow.self) { try firstRow(Self.sql).withUnsafeData(atIndex: 0) { _ in throw NoRow() } }
  }
}
