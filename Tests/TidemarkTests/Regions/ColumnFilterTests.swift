import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

private func value(_ integer: Int64) -> DatabaseValue { DatabaseValue(.int64(integer)) }
private func value(_ double: Double) -> DatabaseValue { DatabaseValue(.double(double)) }
private func value(_ text: String) -> DatabaseValue { DatabaseValue(.string(text)) }
private func value(_ bytes: [UInt8]) -> DatabaseValue { DatabaseValue(.blob(Data(bytes))) }

/// Values that are easily confused, sorted as SQLite sorts them. Those in one row are equal.
private let ordered: [[DatabaseValue]] = [
  [.null],
  [value(-Double.infinity)],
  [value(-0x1p63 * 2)],
  [value(Int64.min), value(-0x1p63)],
  [value(Int64.min + 1)],
  [value(-1.5)],
  [value(Int64(-1)), value(-1.0)],
  [value(-0.5)],
  [value(Int64(0)), value(0.0), value(-0.0)],
  [value(0.5)],
  [value(Int64(1)), value(1.0)],
  [value(Int64(1) << 53), value(0x1p53)],
  [value(Int64(1) << 53 + 1)],
  [value(Int64.max)],
  [value(0x1p63)],
  [value(Double.infinity)],
  [value("")],
  [value("1")],
  [value("A")],
  [value("a")],
  [value("a\0")],
  [value("e\u{301}")],
  [value("\u{E9}")],
  [value("\u{10FFFF}")],
  [value([])],
  [value([0])],
  [value([0, 0])],
  [value([49])],
  [value([255])],
]

@Suite struct ColumnFilterTests {
  @Test func valuesSortAsInSQLite() throws {
    let all = ordered.enumerated().flatMap { rank, values in values.map { (rank, $0) } }
    try inMemory { db in
      for (lhsRank, lhs) in all {
        for (rhsRank, rhs) in all {
          #expect(lhs.isOrdered(before: rhs) == (lhsRank < rhsRank), "\(lhs) \(rhs)")
          #expect((lhs == rhs) == (lhsRank == rhsRank), "\(lhs) \(rhs)")
          if lhs.isNull || rhs.isNull { continue }
          let row = try Row.fetchOne(db, sql: "SELECT ? < ?, ? = ?", arguments: [lhs, rhs, lhs, rhs])
          #expect(row == ["? < ?": lhsRank < rhsRank, "? = ?": lhsRank == rhsRank], "\(lhs) \(rhs)")
        }
      }
    }
  }

  // swift-format-ignore
  @Test(arguments: [
    (">", value(Int64(1)), [value(1.5), value(Int64.max), value("0"), value([])], [DatabaseValue.null, value(1.0), value(Int64(0))]),
    (">=", value(1.0), [value(Int64(1)), value("")], [.null, value(0.9)]),
    ("<", value("b"), [value(Int64.max), value("a"), value("")], [.null, value("b"), value("ba"), value([])]),
    ("<=", value([1]), [value("z"), value([1]), value([0, 9])], [.null, value([1, 0])]),
  ] as [(String, DatabaseValue, [DatabaseValue], [DatabaseValue])])
  func rangesContainTheValuesThatCompare(comparison: String, bound: DatabaseValue, inside: [DatabaseValue], outside: [DatabaseValue]) {
    let bound = ValueRange.Bound(value: bound, isInclusive: comparison.hasSuffix("="))
    let filter = ColumnFilter.range(comparison.hasPrefix("<") ? ValueRange(upper: bound) : ValueRange(lower: bound))
    for value in inside { #expect(filter.admits(value), "\(comparison) \(value)") }
    for value in outside { #expect(!filter.admits(value), "\(comparison) \(value)") }
  }

  /// A text with a replacement character may have been repaired: its original bytes are unknown.
  @Test func rangesAdmitPossiblyRepairedTexts() {
    let filter = ColumnFilter.range(ValueRange(upper: .init(value: value("a"), isInclusive: true)))
    #expect(!filter.admits(value("b")))
    #expect(filter.admits(value("b\u{FFFD}")))
  }

  @Test func `a possibly repaired text passes no filter with certainty`() {
    let filter = ColumnFilter.values([value("a"), value("b\u{FFFD}")])
    #expect(filter.surelyAdmits(value("a")))
    #expect(filter.admits(value("b\u{FFFD}")))
    #expect(!filter.surelyAdmits(value("b\u{FFFD}")))
  }

  /// Intersections are exact, hulls contain both sides, and emptiness is detected.
  @Test func filtersAgreeWithSetsOfValues() {
    var generator = SeededRandom()
    let all = ordered.flatMap { $0 }
    func random() -> ColumnFilter {
      if Bool.random(using: &generator) {
        return .values(Set((0..<Int.random(in: 0...3, using: &generator)).map { _ in generator.pick(all) }))
      }
      func bound() -> ValueRange.Bound? {
        let value = generator.pick(all)
        return value.isNull ? nil : .init(value: value, isInclusive: .random(using: &generator))
      }
      return .range(ValueRange(lower: bound(), upper: bound()))
    }
    for _ in 0..<2000 {
      let lhs = random(), rhs = random()
      let both = lhs.intersection(rhs), hull = lhs.hull(rhs)
      for value in all {
        #expect(both.admits(value) == (lhs.admits(value) && rhs.admits(value)), "\(lhs) \(rhs) \(value)")
        if lhs.admits(value) || rhs.admits(value) { #expect(hull?.admits(value) ?? true, "\(lhs) \(rhs) \(value)") }
        if both.isEmpty { #expect(!both.admits(value), "\(lhs) \(rhs) \(value)") }
      }
    }
  }
}
