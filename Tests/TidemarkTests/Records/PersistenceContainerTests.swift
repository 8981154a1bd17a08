import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The container for the columns of a record.
@Suite struct PersistenceContainerTests {
  @Test func columnsKeepTheirOrderAndFirstSpelling() {
    var container = PersistenceContainer()
    container["zed"] = 1
    container["Alpha"] = "a"
    container[Column("ALPHA")] = "b"
    #expect(container.map(\.0) == ["zed", "Alpha"])
    #expect(container.map(\.1) == [1.databaseValue, "b".databaseValue])
    #expect(container.columnNames == ["zed", "Alpha"])
  }

  @Test func columnLookupIgnoresCase() {
    var container = PersistenceContainer()
    container["id"] = 7
    #expect(container["ID"]?.databaseValue == 7.databaseValue)
    #expect(container[Column("Id")]?.databaseValue == 7.databaseValue)
    #expect(container["other"] == nil)
  }

  @Test func nilIsNull() {
    var container = PersistenceContainer()
    container["a"] = nil
    container["b"] = nil as Int?
    #expect(container.map(\.0) == ["a", "b"])
    #expect(container["a"]?.databaseValue == .null)
    #expect(container["b"]?.databaseValue == .null)
  }

  // A container with a predecessor differs from one without, whatever a record does.
  @Test func derivedContainersEqualIndependentOnes() {
    var generator = SeededRandom()
    let base = ColumnNames(["a", "b", "c", "d"])
    for _ in 0..<2000 {
      var one = PersistenceContainer()
      var other = PersistenceContainer(basedOn: base)
      for number in 0..<Int.random(in: 0...6, using: &generator) {
        let column = generator.pick(["a", "b", "c", "d", "A", "e", "B", base.names[number % 4]])
        one[column] = number
        other[column] = number
      }
      #expect(one.map(\.0).map { $0.lowercased() } == other.map(\.0).map { $0.lowercased() })
      #expect(one.map(\.1) == other.map(\.1))
      #expect(one.columnNames.count == other.count)
      for column in ["a", "B", "d", "e"] {
        #expect(one[column]?.databaseValue == other[column]?.databaseValue)
      }
    }
  }

  @Test func onlyTheWholeColumnListIsComplete() {
    let base = ColumnNames(["a", "b"])
    var container = PersistenceContainer(basedOn: base)
    #expect(!container.isComplete(base))
    container["a"] = 1
    #expect(!container.isComplete(base))
    container["b"] = 2
    #expect(container.isComplete(base))
    container["c"] = 3
    #expect(!container.isComplete(base))
  }
}
