import Tidemark

// Writes that share transactions of SQLite (`Configuration.groupsWrites`), while a consumer follows their changes.

extension Scenario {
  static let groups = [group, poolGroup, queueGroup, repeatedGroup, largeGroup]

  /// One closure throws, and three writes are cancelled, one of them too late.
  static let group = grouping(
    "writes that share a transaction and wait for the disk", .durablePool,
    [.ordinary, .throwing, .cancelledTooLate, .cancelledInside, .cancelledWaiting, .ordinary])

  static let poolGroup = grouping(
    "writes that share a transaction", .pool, [.ordinary, .ordinary, .throwing, .ordinary])

  static let queueGroup = grouping(
    "writes to a queue that share a transaction", .queue, [.ordinary, .cancelledInside, .ordinary, .throwing])

  /// The first write throws, SQLite rolls back the transaction of others, and one changes the schema.
  static let repeatedGroup = grouping(
    "writes that are executed again", .durablePool,
    [.throwing, .ordinary, .cancelledTooLate, .rollingBack, .ordinary, .alone, .ordinary])

  /// Pages are written before the commit, and before a write is rolled back.
  static let largeGroup = largeGroup([.large, .throwing, .large])

  static func largeGroup(_ writes: [GroupedWrite]) -> Scenario {
    grouping(
      "large writes that share a transaction", .pool, writes,
      prepare: { world in
        try world.writer?.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_size = 5") }
      })
  }

  private static func grouping(
    _ description: String, _ kind: World.Kind, _ writes: [GroupedWrite],
    prepare: @escaping @Sendable (World) throws -> Void = { _ in }
  ) -> Scenario {
    Scenario(
      description: description, kind: kind,
      prepare: { world in
        try world.openGroupingWrites()
        try prepare(world)
      },
      act: { world in
        world.writeTogether(writes)
        world.writeTogether([.ordinary, .ordinary])
        world.read()
      },
      verify: { try $0.checkFollower() })
  }
}
