import Foundation
import Testing

import Tidemark
@testable import TidemarkEssentials

/// Comparisons of the stored columns of records.
@Suite struct RecordComparisonTests {
  private struct Player: Encodable, EncodableRecord, Equatable {
    var id: Int64?
    var name: String
    var score: Double
  }

  @Test func changesAreTheOldValues() throws {
    let old = Player(id: 1, name: "a", score: 0)
    let new = Player(id: nil, name: "b", score: 0)
    #expect(try new.databaseChanges(from: old) == ["id": 1.databaseValue, "name": "a".databaseValue])
    #expect(try old.databaseChanges(from: new) == ["id": .null, "name": "b".databaseValue])
    #expect(try old.databaseChanges(from: old).isEmpty)
    #expect(old.databaseEquals(old))
    #expect(!old.databaseEquals(new))
  }

  @Test func updateChangesFindsModifications() throws {
    var player = Player(id: 1, name: "a", score: 0)
    let changes = try player.databaseChanges {
      $0.name = "b"
      $0.score = 0
    }
    #expect(changes == ["name": "a".databaseValue])
    #expect(player == Player(id: 1, name: "b", score: 0))
  }

  @Test func missingColumnsCompareAsNull() throws {
    struct Short: Encodable, EncodableRecord { var id: Int64? = 1 }
    #expect(try Player(id: 1, name: "a", score: 0).databaseChanges(from: Short()) == ["name": .null, "score": .null])
    #expect(try Short().databaseChanges(from: Player(id: 1, name: "a", score: 0)).isEmpty)
  }

  // SQLite stores NULL for NaN.
  @Test func nanIsNoChange() throws {
    let player = Player(id: 1, name: "a", score: .nan)
    #expect(try player.databaseChanges(from: player).isEmpty)
    #expect(player.databaseEquals(player))
  }

  @Test func modificationClosuresCanThrow() throws {
    var player = Player(id: 1, name: "a", score: 0)
    #expect(throws: Planned.self) {
      try player.databaseChanges {
        $0.name = "b"
        throw Planned()
      }
    }
    #expect(player.name == "b")
  }
}
