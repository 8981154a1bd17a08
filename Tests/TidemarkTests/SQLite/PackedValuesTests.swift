import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The list of values that a statement binds, compared with an array.
@Suite struct PackedValuesTests {
  private let samples: [DatabaseValue] = [
    .null, Int64.zero.databaseValue, Int64.min.databaseValue, Int64.max.databaseValue, (-0.5).databaseValue,
    Double.infinity.databaseValue, "".databaseValue, "é".databaseValue, "a\u{0}b".databaseValue,
    String(repeating: "long ", count: 50).databaseValue, Data().databaseValue, Data([0, 255]).databaseValue,
    Data(repeating: 7, count: 300).databaseValue,
  ]

  private let one = DatabaseValue(.int64(1))

  @Test func valuesAreReadAsTheyWereAppended() {
    let values = PackedValues(samples)
    #expect(values.map(\.storage.description) == samples.map(\.storage.description))
    #expect(values.indices.map { values.isNull(at: $0) } == samples.map(\.isNull))
  }

  @Test func notANumberIsKept() {
    #expect(PackedValues([Double.nan.databaseValue])[0].storage.description == "nan")
  }

  @Test func onlyIntegersAreIntegers() {
    let values = PackedValues([one, Double(1).databaseValue, "1".databaseValue, .null])
    #expect(values.indices.map { values.integer(at: $0) } == [1, nil, nil, nil])
  }

  @Test func selectionsRepeatAndOmitValues() {
    let values = PackedValues(["a", "b", "c"].map(\.databaseValue))
    #expect(
      Array(values.selecting([2, nil, 0, 2])) == ["c".databaseValue, .null, "a".databaseValue, "c".databaseValue])
  }

  @Test func equalListsHaveEqualHashes() {
    let (integers, doubles) = (PackedValues([one]), PackedValues([Double(1).databaseValue]))
    #expect(integers == doubles)
    #expect(integers.hashValue == doubles.hashValue)
    #expect(integers != PackedValues([one, .null]))
  }

  /// Each step changes one of three lists, or copies one to another. A copy must not change with its original.
  @Test func listsChangeLikeArrays() {
    var random = SeededRandom()
    for _ in 1...200 {
      var lists = [PackedValues(), PackedValues(capacity: 1), PackedValues(capacity: 5)]
      var arrays: [[DatabaseValue]] = [[], [], []]
      for _ in 1...30 {
        let (target, source) = (Int.random(in: 0..<3, using: &random), Int.random(in: 0..<3, using: &random))
        let value = random.pick(samples)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          (lists[target], arrays[target]) = (lists[source], arrays[source])
        case 1 where !arrays[target].isEmpty:
          let index = arrays[target].indices.randomElement(using: &random) ?? 0
          lists[target].replaceValue(at: index, with: value)
          arrays[target][index] = value
        case 2 where arrays[target].count < 100:
          lists[target].append(contentsOf: lists[source])
          arrays[target] += arrays[source]
        default:
          lists[target].append(value)
          arrays[target].append(value)
        }
        for (list, array) in zip(lists, arrays) {
          #expect(list.map(\.storage.description) == array.map(\.storage.description))
        }
      }
    }
  }

  @Test func dateTextsAreWrittenInPlace() throws {
    let dates = [Date(timeIntervalSince1970: 0.25), .distantPast, Date(timeIntervalSince1970: -1e11), .distantFuture]
    let arguments: StatementArguments = [dates[0], dates[1], dates[2], dates[3], Date(timeIntervalSince1970: 1e30)]
    #expect(Array(arguments.values) == dates.map(\.databaseValue) + [.null])
  }
}

extension DatabaseValue.Storage {
  /// The class and the exact contents.
  fileprivate var description: String {
    switch self {
    case .null: "NULL"
    case .int64(let integer): "integer \(integer)"
    case .double(let double): "\(double)"
    case .string(let text): "text \(text.utf8.map { $0 })"
    case .blob(let data): "blob \(Array(data))"
    }
  }
}
