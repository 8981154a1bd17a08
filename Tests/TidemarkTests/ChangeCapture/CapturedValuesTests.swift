import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The values of captured rows, without a database.
@Suite struct CapturedValuesTests {
  private static let all: [DatabaseValue] = [
    .null, 0.databaseValue, Int64.min.databaseValue, (-0.0).databaseValue, 1.5.databaseValue, "".databaseValue,
    "café".databaseValue, Data().databaseValue, Data([0, 255]).databaseValue,
  ]

  private func stored(_ values: [DatabaseValue]) -> CapturedValues {
    var stored = CapturedValues()
    for value in values { value.withBorrowedValue { stored.append($0) } }
    return stored
  }

  private func areSame(_ values: CapturedValues, _ first: Int, _ second: Int) -> Bool {
    values.withContent { $0.areSame(first, second) }
  }

  private func contents(_ values: CapturedValues) -> [DatabaseValue] { (0..<values.count).map { values[$0] } }

  @Test func `each value is returned as it was`() {
    let values = contents(stored(Self.all))
    #expect(values.elementsEqual(Self.all) { $0.hasSameBytes(as: $1) })
  }

  @Test func `values are the same if their classes and bytes are`() {
    let values = stored(Self.all + Self.all)
    let count = Self.all.count
    for first in 0..<count {
      for second in 0..<count {
        #expect(areSame(values, first, count + second) == (first == second), "\(Self.all[first]) \(Self.all[second])")
      }
    }
  }

  @Test func `values of other classes or bytes differ`() {
    let values = stored([
      (0.0).databaseValue, (-0.0).databaseValue, 1.databaseValue, (1.0).databaseValue, "a".databaseValue,
      Data([97]).databaseValue, "b".databaseValue,
    ])
    for (first, second) in [(0, 1), (2, 3), (4, 5), (4, 6)] { #expect(!areSame(values, first, second)) }
  }

  @Test func `a cut removes values with their bytes`() {
    var values = stored(["a".databaseValue, "bc".databaseValue, 7.databaseValue, "def".databaseValue])
    values.cut(to: 2, byteCount: 3)
    #expect(contents(values) == ["a".databaseValue, "bc".databaseValue])
    #expect(values.byteCount == 3)
    values.cut(to: 5, byteCount: 10)
    #expect(values.count == 2)
  }

  @Test func `a new value that equals the old one takes no bytes`() {
    var values = CapturedValues()
    "unchanged".databaseValue.withBorrowedValue { value in
      values.append(2) { new in
        new.set(value, at: 0)
        new.set(sameAs: 0, at: 1)
      }
    }
    #expect(contents(values) == ["unchanged".databaseValue, "unchanged".databaseValue])
    #expect(values.byteCount == 9)
    #expect(areSame(values, 0, 1))
  }

  @Test func `a part has its own bytes`() {
    let values = stored(["first".databaseValue, 1.databaseValue, "second".databaseValue, Data([1]).databaseValue])
    let part = values.part(1..<4, bytes: 5..<12)
    #expect(contents(part) == [1.databaseValue, "second".databaseValue, Data([1]).databaseValue])
    #expect(part.byteCount == 7)
  }

  @Test func `a copy reserves no memory for the values that were removed`() {
    var values = stored([String(repeating: "a", count: 1_000_000).databaseValue])
    values.cut(to: 0, byteCount: 0)
    "b".databaseValue.withBorrowedValue { values.append($0) }
    #expect(!values.isCompact)
    #expect(values.copy().isCompact)
    #expect(contents(values.copy()) == ["b".databaseValue])
  }

  @Test func `a few values are compact, whatever is reserved for them`() {
    var values = stored(Array(repeating: "text".databaseValue, count: 10))
    values.cut(to: 1, byteCount: 4)
    #expect(values.isCompact)
  }

  @Test func `many values are compact if they need half of their memory`() {
    var values = stored(Array(repeating: 1.databaseValue, count: 1_000))
    #expect(values.isCompact)
    values.cut(to: 400, byteCount: 0)
    #expect(!values.isCompact)
    values = stored([String(repeating: "a", count: 10_000).databaseValue])
    #expect(values.isCompact)
    values.cut(to: 1, byteCount: 4_000)
    #expect(!values.isCompact)
  }

  @Test func `only texts and blobs have a length`() {
    let values = stored([.null, 7.databaseValue, 1.5.databaseValue, "four".databaseValue, Data([1, 2]).databaseValue])
    #expect(values.withContent { content in (0..<5).map { content.length(at: $0) } } == [0, 0, 0, 4, 2])
  }

  @Test func `values are read again from their memory`() {
    let values = stored(Self.all)
    var file: [UInt8] = []
    values.append(to: &file)
    let read = file.withUnsafeBytes { CapturedValues($0, count: values.count, byteCount: values.byteCount) }
    #expect(contents(read).elementsEqual(Self.all) { $0.hasSameBytes(as: $1) })
  }

  @Test func `a value whose type is unknown is NULL`() {
    var file: [UInt8] = []
    stored([1.databaseValue]).append(to: &file)
    // The type is in the lowest bits of its second number.
    file[8] |= 7
    #expect(file.withUnsafeBytes { contents(CapturedValues($0, count: 1, byteCount: 0)) } == [.null])
  }

  @Test(arguments: [
    [] as [UInt8], Array("plain".utf8), Array("a text of more than eight bytes".utf8), Array("Ärger".utf8),
    Array("eight by\u{1F600}".utf8),
  ])
  func `a text in UTF-8 is recognized`(bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes { $0.isUTF8 })
  }

  @Test(arguments: [
    [0x80], Array("12345678".utf8) + [0xc3], Array("1234567".utf8) + [0xff, 0x31], [0xed, 0xa0, 0x80],
  ])
  func `other bytes are no text in UTF-8`(bytes: [UInt8]) {
    #expect(!bytes.withUnsafeBytes { $0.isUTF8 })
  }
}
