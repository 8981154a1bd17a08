import Testing
import Tidemark

/// `PRAGMA synchronous` in `prepareDatabase`, and `Configuration.durability`.
@Suite struct SynchronousSettingTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func configuration(
    _ pragma: String?, _ durability: Configuration.Durability = .default
  ) -> Configuration {
    var configuration = Configuration()
    configuration.durability = durability
    if let pragma { configuration.prepareDatabase { try $0.execute(sql: pragma) } }
    return configuration
  }

  /// The ways to open the file with the write-ahead log.
  static let openings: [@Sendable (String, Configuration) throws -> any DatabaseWriter] = [
    { try DatabasePool(path: $0, configuration: $1) },
    {
      var configuration = $1
      configuration.journalMode = .wal
      return try DatabaseQueue(path: $0, configuration: configuration)
    },
  ]

  private func setting(of writer: any DatabaseWriter) throws -> Int? {
    try writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
  }

  @Test(arguments: openings.indices, [("OFF", 0), ("NORMAL", 1), ("FULL", 2), ("EXTRA", 3)])
  func settingsOfTheProgramTakePrecedence(opening: Int, setting: (name: String, value: Int)) throws {
    for _ in ["new file", "file with a log"] {
      let writer = try Self.openings[opening](folder.database, configuration("PRAGMA synchronous = \(setting.name)"))
      #expect(try self.setting(of: writer) == setting.value)
      try writer.close()
    }
  }

  @Test(arguments: openings.indices)
  func durabilityDeterminesTheDefaultSetting(opening: Int) throws {
    let expected: [(Configuration.Durability, Int)] = [(.default, 1), (.full, 3), (.unsafeNoSync, 0)]
    for (durability, value) in expected {
      let configuration = configuration("PRAGMA main.synchronous; PRAGMA temp.synchronous = OFF", durability)
      let writer = try Self.openings[opening](folder.database, configuration)
      #expect(try setting(of: writer) == value)
    }
  }

  @Test(arguments: openings.indices)
  func contradictoryDurabilityIsAnError(opening: Int) throws {
    let contradictions: [(String, Configuration.Durability)] = [
      ("OFF", .full), ("NORMAL", .full), ("NORMAL", .unsafeNoSync), ("FULL", .unsafeNoSync), ("EXTRA", .unsafeNoSync),
    ]
    for (name, durability) in contradictions {
      let error = #expect(throws: DatabaseError.self) {
        _ = try Self.openings[opening](folder.database, configuration("PRAGMA synchronous = \(name)", durability))
      }
      #expect(
        error?.description == """
          SQLite error 21: Configuration.durability is .\(durability), but prepareDatabase sets PRAGMA synchronous = \
          \(name): remove one of them
          """)
    }
  }

  @Test(arguments: openings.indices)
  func matchingDurabilityIsAccepted(opening: Int) throws {
    let confirmations: [(String, Configuration.Durability, Int)] = [
      ("FULL", .full, 2), ("EXTRA", .full, 3), ("OFF", .unsafeNoSync, 0),
    ]
    for (name, durability, value) in confirmations {
      let configuration = configuration("PRAGMA synchronous = \(name)", durability)
      #expect(try setting(of: try Self.openings[opening](folder.database, configuration)) == value)
    }
  }

  @Test func queuesWithoutALogRejectContradictoryDurability() throws {
    #expect(throws: DatabaseError.self) {
      try DatabaseQueue(path: folder.database, configuration: configuration("PRAGMA synchronous = OFF", .full))
    }
  }
}
