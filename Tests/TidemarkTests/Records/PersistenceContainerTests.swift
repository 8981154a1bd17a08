import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// The container for the columns of a record.
@Suite struct PersistenceContainerTests {
  @Test func columnsKeepTheirOrderAndTheirFirstSpelling() {
    var container = PersistenceContainer()
    container["zed"] = 1
    container["Alpha"] = "a"
    container[Column("ALPHA")] = "b"
    #expect(container.map(\.0) == ["zed", "Alpha"])
    #expect(container.map(\.1) == [1.databaseValue, "b".databaseValue])
    #expect(container.columnNames == ["zed", "Alpha"])
  }

  @Test func aColumnIsFoundWhateverItsCase() {
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
  @Test func aContainerThatFollowsAnotherIsAsIfItDidNot() {
    var chance = Chance()
    let followed = ColumnNames(["a", "b", "c", "d"])
    for _ in 0..<2000 {
      var one = PersistenceContainer()
      var other = PersistenceContainer(following: followed)
      for number in 0..<Int.random(in: 0...6, using: &chance) {
        let column = chance.pick(["a", "b", "c", "d", "A", "e", "B", followed.names[number % 4]])
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

  @Test func onlyTheWholeListIsComplete() {
    let followed = ColumnNames(["a", "b"])
    var container = PersistenceContainer(following: followed)
    #expect(!container.isComplete(followed))
    container["a"] = 1
    #expect(!container.isComplete(followed))
    container["b"] = 2
    #expect(container.isComplete(followed))
    container["c"] = 3
    #expect(!container.isComplete(followed))
  }
}
