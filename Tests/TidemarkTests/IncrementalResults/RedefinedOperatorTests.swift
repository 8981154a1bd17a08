import Foundation
import Testing

@testable import Tidemark

/// If the program redefines operators of SQLite, results are fetched completely.
@Suite struct RedefinedOperatorTests {
  /// LIKE is a function that the program may redefine: here, its result does not depend on the row alone.
  @Test(arguments: [RequestDatabase.pool, .queue])
  func redefinedLikeIsHandled(_ home: RequestDatabase) async throws {
    let folder = try TemporaryFolder()
    let isExact = Locked(false)
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(
        function: DatabaseFunction("like", argumentCount: 2, pure: false) { values in
          let (pattern, text) = (String.fromDatabaseValue(values[0]) ?? "", String.fromDatabaseValue(values[1]) ?? "")
          return isExact.value ? pattern == text : pattern.lowercased() == text.lowercased()
        })
    }
    let writer = try home.open(folder.path("db"), configuration)
    try await writer.write { try $0.execute(sql: UnusualRequestTests.player) }
    try await RequestCase(
      name: "like", setup: "", sql: "SELECT id, name FROM player WHERE name LIKE 'A' ORDER BY id",
      steps: ["UPDATE player SET name = 'a'", "-", "UPDATE player SET score = 5, name = 'A' WHERE id = 2"]
    ).run(on: writer) { step in
      if step == "-" {
        isExact.update { $0 = true }
        try await writer.write { try $0.execute(sql: "UPDATE player SET name = 'A' WHERE id = 3") }
      } else {
        try await writer.write { try $0.execute(sql: step) }
      }
    }
  }

  @Test func caseSensitiveLikeIsHandled() async throws {
    try await RequestCase(
      name: "pragma", setup: UnusualRequestTests.player,
      sql: "SELECT id, name FROM player WHERE name LIKE 'A%' ORDER BY id",
      steps: [
        "UPDATE player SET name = 'a'",
        "!PRAGMA case_sensitive_like = ON; UPDATE player SET name = 'A' WHERE id = 3",
      ]
    ).run(.queue)
  }
}
